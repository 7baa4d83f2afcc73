# GHC: its compiler, and a program's timer, light threads, forked processes, signals, software transactions
# packages: ghc gcc
# commands: ghc
# limit: 400

version() { ghc --version; }

prepare() {
    cat >Guest.hs <<'HASKELL'
import Control.Concurrent
import Control.Concurrent.STM
import Control.Exception
import Control.Monad
import System.Exit
import System.IO
import System.Posix.Process
import System.Posix.Signals
import System.Process
import System.Timeout
import qualified Data.Map.Strict as Map

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  total <- newTVarIO (0 :: Int)
  done <- newEmptyMVar
  forM_ [1 .. 500] $ \n -> forkIO (threadDelay (n * 10) >> atomically (modifyTVar' total (+ n)) >> putMVar done ())
  replicateM_ 500 (takeMVar done)
  readTVarIO total >>= print
  print (Map.size (Map.fromListWith (+) [(i * 7919 `mod` 10007, i) | i <- [1 .. 300000 :: Int]]))
  readProcess "sh" ["-c", "tr a-z A-Z"] "through a process" >>= putStrLn
  (code, out, err) <- readProcessWithExitCode "sh" ["-c", "echo out; echo err >&2; exit 3"] ""
  print (code, out, err)
  callCommand "echo from a shell"
  r <- try (callCommand "exit 4") :: IO (Either IOException ())
  putStrLn (either (const "failed") (const "no") r)
  p <- spawnProcess "sleep" ["60"]
  terminateProcess p
  waitForProcess p >>= print
  late <- timeout 100000 (forever (threadDelay 1000000))
  print (late :: Maybe ())
  seen <- newEmptyMVar
  _ <- installHandler sigUSR1 (Catch (putMVar seen "signalled")) Nothing
  raiseSignal sigUSR1
  takeMVar seen >>= putStrLn
  child <- forkProcess (threadDelay 1000 >> putStrLn "in the child" >> exitImmediately (ExitFailure 7))
  getProcessStatus True False child >>= print
  q <- try (evaluate (1 `div` (0 :: Int)))
  print (q :: Either ArithException Int)
  b <- try (newEmptyMVar >>= takeMVar) :: IO (Either BlockedIndefinitelyOnMVar ())
  print b
  m <- myThreadId
  _ <- forkIO (threadDelay 100000 >> throwTo m UserInterrupt)
  i <- try (threadDelay 60000000)
  print (i :: Either AsyncException ())
  exitWith (ExitFailure 6)
HASKELL
}

workload() {
    ghc -v0 -O0 -threaded -rtsopts -outputdir "$GUEST_DATA" Guest.hs -o "$GUEST_DATA/threaded"
    echo "ghc $?"
    ghc -v0 -O0 -rtsopts -outputdir "$GUEST_DATA" Guest.hs -o "$GUEST_DATA/single"
    echo "ghc $?"
    "$GUEST_DATA/threaded" +RTS -N3 -A256k -V0.002
    echo "status $?"
    "$GUEST_DATA/single" +RTS -C0.001
    echo "status $?"
    ghc -v0 -e 'mapM_ print (take 3 (iterate (* 7) 1))' -e 'System.Exit.exitWith (System.Exit.ExitFailure 5)'
    echo "status $?"
}
