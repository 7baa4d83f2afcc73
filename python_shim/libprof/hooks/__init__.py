"""libprof in other packages' places for profilers. Each module imports its host, so import only the one you need:

    from libprof.hooks.lightning import LibprofProfiler      Trainer(profiler=LibprofProfiler())
    from libprof.hooks.transformers import LibprofCallback   Trainer(..., callbacks=[LibprofCallback()])
    from libprof.hooks.jax import record_annotations         JAX's annotations as ranges
    %load_ext libprof                                        %%prof in a notebook
    pytest --prof                                            the package libprof_pytest
"""
