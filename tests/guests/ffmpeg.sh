# ffmpeg: threads that encode, filter and decode, a pipe between two, an interrupt
# packages: ffmpeg
# commands: ffmpeg ffprobe

version() { ffmpeg -version | head -n 1 | cut -d' ' -f1-3; }

workload() {
    local quiet="-hide_banner -loglevel error -nostdin -y -bitexact"
    # shellcheck disable=SC2086 # the options are words
    {
        ffmpeg $quiet -f lavfi -i testsrc2=size=320x240:rate=25:duration=3 -f lavfi -i sine=frequency=440:duration=3 \
            -c:v mpeg4 -threads 4 -qscale 3 -c:a aac -flags +bitexact -fflags +bitexact video.mkv
        echo "encoded $?"
        ffprobe -v error -show_entries stream=codec_name,nb_read_frames -count_frames -of csv=p=0 video.mkv
        ffmpeg $quiet -threads 4 -i video.mkv -filter_complex '[0:v]split[a][b];[a]hflip[c];[b][c]hstack,scale=200:-2' -f framemd5 - |
            sha256sum
        ffmpeg $quiet -i video.mkv -f rawvideo -pix_fmt yuv420p - |
            ffmpeg $quiet -f rawvideo -s 320x240 -pix_fmt yuv420p -i - -c:v libx264 -threads 3 -preset ultrafast -f md5 -
        echo "statuses ${PIPESTATUS[*]}"
        ffmpeg $quiet -i nothing.mkv -f null -
        echo "status $?"
        ffmpeg $quiet -re -f lavfi -i testsrc2=size=64x64 -f null - &
        sleep 1
        kill -INT $!
        wait $!
        echo "interrupted $?"
        ffmpeg $quiet -re -f lavfi -i testsrc2=size=64x64 -f null - &
        sleep 1
        kill -TERM $!
        wait $!
        echo "terminated $?"
    } 2>&1
}
