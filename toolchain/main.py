"""Entry of `./stride`: make the environment and the workspace ready, then become `stride`.

Standard library only: it runs before anything is installed.
"""

import os
import sys
from pathlib import Path

from environment import Environment
from system import SetupError, check_folder, check_system, only_one
from workspace import Workspace

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    try:
        environment = Environment.choose(ROOT)
        workspace = Workspace(ROOT, environment)
        if not (environment.is_ready() and workspace.is_ready()):
            check_folder(ROOT)
            check_system()
            with only_one(ROOT / "log" / "setup.lock"):
                environment.prepare()
                workspace.build()
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
