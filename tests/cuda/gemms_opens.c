/* gemms_opens.c - gemms_opens FILE: opens the library with RTLD_LOCAL, as Python does, and multiplies through it on two
 * threads; closes it and does so again. Nothing of cuBLAS may be there for everybody. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int (*multiply)(int times);

static void *ten(void *unused)
{
    int failed = multiply(10);
    if (failed)
        printf("plugin: %d\n", failed);
    return unused;
}

static void through(const char *path)
{
    pthread_t threads[2];
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        printf("%s\n", dlerror());
        exit(1);
    }
    *(void **)&multiply = dlsym(plugin, "plugin_multiply");
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, ten, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (dlsym(RTLD_DEFAULT, "cublasSgemm_v2"))
        puts("cublasSgemm_v2 is there for everybody");
    dlclose(plugin);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    through(argv[1]);
    through(argv[1]);
    return 0;
}
