# SPDX-License-Identifier: Apache-2.0
"""Set-ups that cannot work: imports succeed, the CPU works, and first use of npu says why."""

import shutil
import subprocess
from pathlib import Path

import pytest
import torch

import torchtitan_npu

PACKAGE = Path(torchtitan_npu.__file__).parent
LIBRARIES = PACKAGE / "cann" / "lib64"

# Whatever is broken, this must work.
CPU_WORK = """
import torch, torchtitan_npu
torch.manual_seed(1)
weight = torch.ones(3, requires_grad=True)
(weight * 2).sum().backward()
assert weight.grad.tolist() == [2, 2, 2]
print(torch.npu.is_available(), torch.npu.device_count(), torch.accelerator.is_available())
"""
USE = """
for use in (lambda: torch.empty(3, device="npu"), lambda: torch.npu.synchronize(),
            lambda: torch.ones(3).to("npu"), lambda: torch.npu.set_device(0)):
    try:
        use()
        raise SystemExit("no error")
    except RuntimeError as error:
        print("reason:", str(error).splitlines()[0])
"""


def reasons(output: str) -> list[str]:
    lines = output.splitlines()
    assert lines[0] == "False 0 False"
    assert len(lines) == 5
    return lines[1:]


def copy_of_cann(folder: Path) -> Path:
    """Another CANN: the same libraries in another place."""
    shutil.copytree(LIBRARIES.resolve(), folder / "lib64", symlinks=True)
    return folder


def copy_of_package(folder: Path, without: str = "") -> Path:
    """The package made of links, so that files can be added or left out."""
    package = folder / "torchtitan_npu"
    package.mkdir(parents=True)
    for entry in PACKAGE.iterdir():
        if entry.name != without and entry.name != "__pycache__":
            (package / entry.name).symlink_to(entry.resolve())
    return folder


def at_front(folder: Path, code: str) -> str:
    """Runs code with folder before all else, the import hook of an editable install included."""
    return f"""
import sys
from importlib.machinery import PathFinder
sys.path.insert(0, {str(folder)!r})
sys.meta_path.insert(0, PathFinder)
{code}"""


def test_a_cann_folder_that_does_not_exist(run_code):
    output = run_code(CPU_WORK + USE, TORCHTITAN_NPU_CANN="/nowhere")
    assert all("TORCHTITAN_NPU_CANN=/nowhere" in reason for reason in reasons(output))


def test_an_option_with_a_senseless_value(run_code):
    output = run_code(CPU_WORK + USE, TORCHTITAN_NPU_FALLBACK="perhaps")
    assert all("perhaps is none of error, warn, silent" in reason for reason in reasons(output))


def test_no_device(run_code):
    output = run_code(CPU_WORK + USE, SOFTNPU_DEVICES="0")
    assert all("No NPU is available" in reason for reason in reasons(output))


def test_a_missing_library(run_code, tmp_path):
    folder = copy_of_package(tmp_path / "site", without="libtorchtitan_npu.so")
    for entry in (folder / "torchtitan_npu").glob("_C*.so"):
        # A link would still find its neighbour in the original folder.
        original = entry.resolve()
        entry.unlink()
        shutil.copy(original, entry)
    output = run_code(at_front(folder, CPU_WORK + USE))
    assert all("libtorchtitan_npu.so" in reason for reason in reasons(output))


def test_two_canns_in_one_process_are_refused(run_code, tmp_path):
    other = copy_of_cann(tmp_path / "other")
    code = f"""
import ctypes
ctypes.CDLL({str(other / "lib64" / "libascendcl.so")!r})
"""
    output = run_code(code + CPU_WORK + USE)
    for reason in reasons(output):
        assert "two CANNs" in reason and str(other) in reason


def test_the_cann_of_ascend_home_path_is_taken_when_it_has_a_device(run_code, tmp_path):
    other = copy_of_cann(tmp_path / "other")
    code = "import torch, torchtitan_npu; i = torch.npu.cann_info()\n"
    code += "print(i['library_folder'], i['bundled'], torch.ones(2, device='npu').sum().item())"
    output = run_code(code, ASCEND_HOME_PATH=str(other))
    assert output == f"{other / 'lib64'} False 2.0\n"


def test_soft_takes_the_bundled_cann_whatever_is_installed(run_code, tmp_path):
    other = copy_of_cann(tmp_path / "other")
    code = "import torch, torchtitan_npu; print(torch.npu.cann_info()['bundled'])"
    assert run_code(code, ASCEND_HOME_PATH=str(other), TORCHTITAN_NPU_CANN="soft") == "True\n"


def test_an_installed_cann_without_device_leaves_the_bundled_one(run_code, tmp_path):
    lib64 = tmp_path / "other" / "lib64"
    lib64.mkdir(parents=True)
    source = tmp_path / "none.c"
    source.write_text("int aclrtGetDeviceCount(unsigned* count) { *count = 0; return 0; }\n")
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "this test needs a C compiler"
    subprocess.run(
        [compiler, "-shared", "-o", str(lib64 / "libascendcl.so"), str(source)], check=True
    )
    code = "import torch, torchtitan_npu; i = torch.npu.cann_info(); print(i['bundled'], i['note'])"
    output = run_code(code, ASCEND_HOME_PATH=str(tmp_path / "other"))
    assert output == f"True ASCEND_HOME_PATH={tmp_path / 'other'} finds no device\n"


def test_beside_the_official_wheel_ours_does_not_register(run_code, tmp_path):
    official = tmp_path / "site" / "torch_npu"
    official.mkdir(parents=True)
    (official / "__init__.py").write_text("")
    code = """
import torch, torchtitan_npu
print(torch._C._get_privateuse1_backend_name(), hasattr(torch, "npu"))
import torchtitan_npu.npu as npu
print(npu.is_available())
try:
    npu.synchronize()
except RuntimeError as error:
    print(error)
"""
    lines = run_code(at_front(tmp_path / "site", code)).splitlines()
    assert lines[:2] == ["privateuseone False", "False"]
    assert str(official) in lines[2] and "pip uninstall torch-npu" in lines[2]


@pytest.fixture
def mixed_installation(tmp_path):
    """Ours with files of the other torchtitan-npu among them, and the entry point."""
    folder = copy_of_package(tmp_path / "site")
    (folder / "torchtitan_npu" / "entry.py").write_text("")
    (folder / "torchtitan_npu" / "models").mkdir()
    info = folder / "torchtitan_npu-0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torchtitan-npu\nVersion: 0.0\n")
    (info / "entry_points.txt").write_text(
        "[torch.backends]\ntorchtitan_npu = torchtitan_npu:_autoload\n"
    )
    return folder


@pytest.mark.parametrize("first", ["", "import torch\n"], ids=["ours first", "torch first"])
def test_a_mixed_installation_fails_when_imported_by_name(run_python, mixed_installation, first):
    done = run_python("-c", at_front(mixed_installation, first + "import torchtitan_npu"))
    assert done.returncode != 0
    assert "unrelated" in done.stderr and "ImportError" in done.stderr
    assert "Failed to load the backend extension" not in done.stderr


def test_a_mixed_installation_does_not_break_import_torch(run_code, mixed_installation):
    code = "import torch; print(torch.ones(2).sum().item())"
    assert run_code(at_front(mixed_installation, code)) == "2.0\n"


def test_the_bundled_cann_is_the_default(npu):
    if torch.npu.cann_info()["note"]:
        pytest.skip("ASCEND_HOME_PATH is set")
    assert torch.npu.cann_info()["bundled"]
