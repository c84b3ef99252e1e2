"""Compiles modules and runs them on a device, through the project's tools."""

import hashlib
import subprocess
from pathlib import Path

import numpy as np

_TIMEOUT_SECONDS = 300


class Tools:
    """The tools of one build.

    Attributes
    ----------
    moe_run, moe_opt, moe_translate : Path
    options : list of str
        What each run on a device is given.
    """

    def __init__(self, build, directory):
        self.moe_run = build / "bin/moe-run"
        self.moe_opt = build / "bin/moe-opt"
        self.moe_translate = build / "bin/moe-translate"
        self.options = ["--validate=sync",
                        f"--pipeline-cache={directory / 'pipelines'}"]
        self._directory = directory
        self._runs = 0

    def compile(self, text, *pipeline):
        """Compile a module, once a session.

        Parameters
        ----------
        text : str
        pipeline : str, optional
            Options of the compile pipeline, as moe-opt has them.

        Returns
        -------
        Path
            The bundle.
        """
        name = hashlib.sha1(repr((text, pipeline)).encode()).hexdigest()[:16]
        bundle = self._directory / f"{name}.moeb"
        if bundle.exists():
            return bundle
        source = bundle.with_suffix(".mlir")
        source.write_text(text, encoding="utf-8")
        if pipeline:
            source.write_text(self.lower(text, *pipeline), encoding="utf-8")
            run_tool([self.moe_translate, "--moe-to-bundle", source,
                      "-o", bundle])
        else:
            run_tool([self.moe_run, source, f"--emit-bundle={bundle}"])
        # Every kernel that any test runs is valid SPIR-V.
        run_tool([self.moe_translate, "--validate-bundle", bundle])
        return bundle

    def lower(self, text, *pipeline):
        """Give the IR that the compile pipeline leaves.

        Parameters
        ----------
        text : str
        pipeline : str
            Options: "stop-after=linalg".
        """
        options = " ".join(pipeline)
        return run_tool(
            [self.moe_opt, "-", f"--moe-compile-pipeline={options}"],
            stdin=text)

    def run(self, program, *inputs, results=1, entry=None, options=()):
        """Run a module or bundle on arrays.

        Parameters
        ----------
        program : str or Path
            The text of a module, or a bundle.
        inputs : numpy.ndarray
        results : int
            How many results the function has.
        entry : str, optional
            The function, where there are several.
        options : sequence of str
            Further options of moe-run.

        Returns
        -------
        numpy.ndarray, or a list of them where there are several results
        """
        directory = self._fresh_directory()
        command = self.command(program, *inputs, entry=entry,
                               directory=directory)
        outputs = [directory / f"result{i}.npy" for i in range(results)]
        command += [f"--output={path}" for path in outputs]
        run_tool([*command, *options])
        arrays = [np.load(path) for path in outputs]
        return arrays[0] if results == 1 else arrays

    def fault(self, program, *inputs, status, entry=None, options=()):
        """Run what must fail.

        Parameters
        ----------
        program, inputs, entry, options
            As in `run`.
        status : int
            The exit status it must end with.

        Returns
        -------
        str
            The message: one line, without the name of the tool.
        """
        command = self.command(program, *inputs, entry=entry)
        return run_to_fault([*command, *options], status)

    def compile_fault(self, text):
        """Compile what must be refused.

        Returns
        -------
        str
            The diagnostics: lines like "file.mlir:2:3: error: expected ...".
        """
        source = self._fresh_directory() / "file.mlir"
        source.write_text(text, encoding="utf-8")
        done = _start([self.moe_run, source, "--emit-bundle=/dev/null"])
        lines = done.stderr.replace(f"{source}:", "file.mlir:").splitlines()
        assert done.returncode == 2 and lines[-1] == (
            f"moe-run: error: '{source}' does not compile"), _describe(done)
        return "\n".join(lines[:-1])

    def command(self, program, *inputs, entry=None, directory=None,
                validate=True):
        """Write the inputs of a run and give its command."""
        if isinstance(program, str):
            program = self.compile(program)
        directory = directory or self._fresh_directory()
        command = [str(self.moe_run), str(program),
                   *self.options[0 if validate else 1:]]
        for position, value in enumerate(inputs):
            path = directory / f"input{position}.npy"
            np.save(path, value)
            command.append(f"--input={path}")
        return command + ([f"--entry={entry}"] if entry else [])

    def _fresh_directory(self):
        self._runs += 1
        directory = self._directory / f"run{self._runs}"
        directory.mkdir()
        return directory


def run_tool(command, stdin=None, env=None):
    """Run a tool that must succeed, without a word of complaint.

    Returns
    -------
    str
        What it prints.
    """
    done = _start(command, stdin, env)
    assert done.returncode == 0 and not done.stderr, _describe(done)
    return done.stdout


def run_to_fault(command, status):
    """Run a command of moe-run that must fail with one line.

    Parameters
    ----------
    command : list
    status : int
        The exit status it must end with.

    Returns
    -------
    str
        The message, without the name of the tool.
    """
    done = _start(command)
    prefix = "moe-run: error: "
    assert done.returncode == status and done.stderr.startswith(prefix) and \
        done.stderr.count("\n") == 1, _describe(done)
    return done.stderr[len(prefix):-1]


def _start(command, stdin=None, env=None):
    return subprocess.run([str(part) for part in command], input=stdin,
                          env=env, capture_output=True, text=True,
                          timeout=_TIMEOUT_SECONDS, check=False)


def _describe(done):
    return (f"{' '.join(done.args)}\nexit status {done.returncode}\n"
            f"{done.stdout[-2000:]}{done.stderr[-4000:]}")
