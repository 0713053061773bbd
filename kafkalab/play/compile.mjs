// Compiles the simulator's archive with the Python of the page, in node: `node compile.mjs PYODIDE ARCHIVE OUT`.
// OUT is a zip of the compiled files. The same archive gives the same bytes.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, archive, out] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: folder, env: { PYTHONHASHSEED: "0" } });
python.unpackArchive(new Uint8Array(readFileSync(archive)), "zip", { extractDir: "/lib/kafkalab" });
python.runPython(`
import compileall, pathlib, py_compile, zipfile
home = pathlib.Path("/lib/kafkalab")
compileall.compile_dir(home, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
with zipfile.ZipFile("/compiled.zip", "w", zipfile.ZIP_DEFLATED) as packed:
    for path in sorted(home.rglob("*.pyc")):
        entry = zipfile.ZipInfo(path.relative_to(home).as_posix())
        entry.compress_type = zipfile.ZIP_DEFLATED
        packed.writestr(entry, path.read_bytes())
`);
writeFileSync(out, python.FS.readFile("/compiled.zip"));
