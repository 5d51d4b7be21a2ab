import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isExecutable, moveWhole } from './debian-binary.ts'
import { unpackMissing } from './debian-packages.ts'

const caches = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

/**
 * Returns the path of a program in a Debian package: that of the machine, else a cached one, else the package
 * and the missing libraries, unpacked into a cache of this checkout. Installs nothing.
 * @param name of the package
 * @param options.program in it; by default the name of the package
 * @param options.mayFetch whether to download a missing program from Debian's archive
 * @throws Error that names the package to install
 */
export const findDebianProgram = async (
  name: string,
  { mayFetch, program = name }: { mayFetch: boolean; program?: string } = { mayFetch: true },
): Promise<string> => {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder !== '' && (await isExecutable(join(folder, program)))) return join(folder, program)
  }
  const wrapper = program === name ? 'run' : `run-${program}`
  const cached = join(caches, name, wrapper)
  if (await isExecutable(cached)) return cached
  // the package is there for another of its programs
  if (await isExecutable(join(caches, name, 'root', 'usr', 'bin', program))) {
    await writeFile(cached, wrapperOf(program), { mode: 0o755 })
    return cached
  }
  if (!mayFetch) throw new Error('not in PATH and not cached')
  try {
    await fetchProgram(name, program, wrapper)
    return cached
  } catch (cause) {
    throw new Error(`no ${program}: install it so that it is in PATH (apt install ${name})`, {
      cause,
    })
  }
}

const fetchProgram = async (name: string, program: string, run: string): Promise<void> => {
  await mkdir(caches, { recursive: true })
  const folder = await mkdtemp(join(caches, `${name}-`))
  try {
    const unpacked = join(folder, 'unpacked')
    const root = join(unpacked, 'root')
    await mkdir(root, { recursive: true })
    await unpackMissing([name], folder, root)
    const wrapper = join(unpacked, run)
    await writeFile(wrapper, wrapperOf(program))
    await chmod(wrapper, 0o755)
    await moveWhole(unpacked, join(caches, name), run)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A wrapper that finds its libraries by its own path, so that the folder can be moved. */
const wrapperOf = (name: string): string => `#!/bin/sh
root=$(dirname "$(readlink -f "$0")")/root
for folder in "$root"/usr/lib/*-linux-gnu "$root"/lib/*-linux-gnu; do
  LD_LIBRARY_PATH="$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
done
export LD_LIBRARY_PATH
for folder in bin sbin usr/sbin; do
  [ -x "$root/$folder/${name}" ] && exec "$root/$folder/${name}" "$@"
done
exec "$root/usr/bin/${name}" "$@"
`
