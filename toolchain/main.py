"""Entry of `./stride`: make the environment and the workspace ready, then become `stride`.

Standard library only: it runs before anything is installed.
"""

import signal

# While we import there is nothing to undo: a Ctrl-C ends us at once, without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> None:
    import os
    import sys
    from pathlib import Path

    from environment import Environment
    from setup_progress import Steps, wants_quiet
    from system import SetupError, check_folder, check_system, only_one, say
    from workspace import Workspace

    root = Path(__file__).resolve().parent.parent
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        environment = Environment.choose(root)
        workspace = Workspace(root, environment)
        if not (environment.is_ready() and workspace.is_ready()):
            check_folder(root)
            check_system()
            log, quiet = root / "log", wants_quiet(sys.argv[1:])
            with only_one(log / "setup.lock", (lambda _text: None) if quiet else say):
                names = [*environment.steps(), *workspace.steps()]
                with Steps(names, log / "setup-durations.json", quiet) as steps:
                    environment.prepare(steps)
                    workspace.build(steps)
        variables = workspace.variables()
    except (SetupError, OSError) as error:
        sys.exit(f"stride: {error}")
    except KeyboardInterrupt:
        sys.exit("stride: set-up interrupted; run the same command again to finish it")
    arguments = sys.argv[1:] or ["--help"]
    python = str(environment.python)
    os.execve(python, [python, "-m", "stride_bringup", *arguments], variables)


if __name__ == "__main__":
    main()
