# ghostscript and ImageMagick: OpenMP threads, delegates, pages
# packages: ghostscript imagemagick
# commands: gs convert identify

version() { echo "Ghostscript $(gs --version), $(convert --version | head -n 1 | cut -d' ' -f2,3)"; }

prepare() {
    cat >page.ps <<'PS'
%!PS
1 1 3 { /n exch def
  /Helvetica findfont 24 scalefont setfont
  1 1 60 { dup 12 mul 40 exch moveto (line ) show 10 string cvs show } for
  0 1 300 { /i exch def i 255 div 0.5 i 300 div 1 exch sub setrgbcolor i i 100 100 rectfill } for
  showpage } for
PS
}

workload() {
    export MAGICK_THREAD_LIMIT=4 OMP_NUM_THREADS=4 SOURCE_DATE_EPOCH=1577836800
    gs -q -dBATCH -dNOPAUSE -dSAFER -r50 -sDEVICE=ppmraw -sOutputFile=page%d.ppm page.ps 2>&1
    echo "gs $?"
    gs -q -dBATCH -dNOPAUSE -dSAFER -dNumRenderingThreads=4 -dBandHeight=64 -dBufferSpace=1000000 -dMaxBitmap=0 -r100 -sDEVICE=ppmraw -sOutputFile=- page.ps | sha256sum
    echo "(broken" | gs -q -dBATCH -dNOPAUSE -sDEVICE=nullpage - >/dev/null 2>&1
    echo "gs $?"
    convert page1.ppm -resize 300x300 -blur 0x3 -rotate 17 -quality 80 -strip made.jpg
    echo "convert $?"
    convert -size 400x400 plasma:fractal -seed 7 -swirl 90 -depth 8 rgb:- | wc -c
    convert page1.ppm page2.ppm page3.ppm +append -depth 8 -strip made.ppm
    identify -format '%w %h %m\n' made.ppm made.jpg
    convert nothing.png made.png 2>/dev/null
    echo "convert $?"
}
