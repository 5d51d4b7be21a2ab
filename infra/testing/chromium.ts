import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findChromium } from '@probe-mesh/check-types/browser/probe/find-chromium'
import { isExecutable, moveWhole } from './debian-binary.ts'
import { unpackMissing } from './debian-packages.ts'

const run = promisify(execFile)
const cache = fileURLToPath(new URL('../../node_modules/.cache/chromium', import.meta.url))
const launchMsMax = 60_000
/** Chromium exits if it finds no font. */
const packages = ['chromium', 'fonts-dejavu-core']

/**
 * Returns the path of a Chromium: that of the machine, else a cached one, else Debian's packages and the
 * missing libraries, unpacked into a cache of this checkout. Installs nothing.
 * @throws Error that names the package to install
 */
export const findTestChromium = async (): Promise<string> => {
  const found = findChromium(null, process.env['PATH'] ?? '')
  if (found.ok && found.path !== null) return found.path
  const cached = join(cache, 'chromium')
  if (await isExecutable(cached)) {
    await writeFonts(cache)
    return cached
  }
  try {
    await fetchChromium()
  } catch (error) {
    throw new Error('no Chromium: install it so that it is in PATH (apt install chromium)', {
      cause: error,
    })
  }
  return cached
}

const fetchChromium = async (): Promise<void> => {
  const startedAt = performance.now()
  const report = (what: string): void => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    process.stderr.write(`chromium for the tests: ${what} (${seconds} s)\n`)
  }
  await mkdir(join(cache, '..'), { recursive: true })
  const folder = await mkdtemp(`${cache}-`)
  try {
    const root = join(folder, 'unpacked', 'root')
    await mkdir(root, { recursive: true })
    await unpackMissing(packages, folder, root, report)
    await writeWrapper(join(folder, 'unpacked'))
    report('trying it')
    await launch(join(folder, 'unpacked', 'chromium'))
    await moveWhole(join(folder, 'unpacked'), cache, 'chromium')
    report('ready')
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Writes a wrapper that finds its libraries and fonts by its own path, so that the folder can be moved. */
const writeWrapper = async (folder: string): Promise<void> => {
  const libraries = (await libraryFolders(join(folder, 'root'))).map((path) => relative(folder, path))
  const script = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="${libraries.map((path) => `$here/${path}`).join(':')}"
export FONTCONFIG_FILE="$here/fonts.conf"
export XDG_CACHE_HOME="$here/cache"
exec "$here/root/usr/lib/chromium/chromium" "$@"
`
  await writeFonts(folder)
  await writeFile(join(folder, 'chromium'), script)
  await chmod(join(folder, 'chromium'), 0o755)
}

/** Without a preference, a page is shown in the first font found. */
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir prefix="relative">root/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <match target="pattern">
    <edit name="family" mode="append_last"><string>DejaVu Sans</string></edit>
  </match>
</fontconfig>
`

/** Writes the fonts, because a cached Chromium may have others. */
const writeFonts = async (folder: string): Promise<void> => {
  const file = join(folder, 'fonts.conf')
  if ((await readFile(file, 'utf8').catch(() => null)) === fonts) return
  await writeFile(`${file}.${process.pid}`, fonts)
  await rename(`${file}.${process.pid}`, file)
}

/** The folders of shared libraries: those of the architecture, and of packages in them. */
const libraryFolders = async (root: string): Promise<string[]> => {
  const found: string[] = []
  for (const top of [join(root, 'lib'), join(root, 'usr', 'lib')]) {
    for (const each of await foldersIn(top)) {
      if (!each.endsWith('-linux-gnu')) continue
      for (const folder of [each, ...(await foldersIn(each))]) {
        const names = await readdir(folder)
        if (names.some((name) => /\.so(\.|$)/.test(name))) found.push(folder)
      }
    }
  }
  return found
}

const foldersIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name))
}

/** @throws Error if it renders no page */
const launch = async (path: string): Promise<void> => {
  const profile = await mkdtemp(`${path}-profile-`)
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']
  const page = 'data:text/html,<title>drawn</title><script>document.title+=1+1</script>'
  try {
    const args = [...flags, `--user-data-dir=${profile}`, '--dump-dom', page]
    const { stdout } = await run(path, args, { timeout: launchMsMax })
    if (!stdout.includes('<title>drawn2</title>')) throw new Error(`Chromium drew: ${stdout}`)
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 3 })
  }
}
