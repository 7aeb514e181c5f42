"""`python -m stride_bringup` is the `stride` command."""

import signal

# While we import there is nothing to undo: a Ctrl-C ends us at once, without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)


def run() -> None:
    from stride_bringup.cli.main import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    main()


run()
