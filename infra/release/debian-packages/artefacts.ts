import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { licencesOf } from '@probe-mesh/cli/package/licences'
import { changelogOf } from '../changelog.ts'
import { installedLicences, installPackages } from '../installed.ts'
import { architectures, nodeFor, platforms, type Platform } from '../nodes.ts'
import type { Artefact, Release } from '../release.ts'
import { packFor, singleFiles, type SingleFile } from '../single-file/artefacts.ts'
import { stagePrograms } from '../stage.ts'
import { debianPackages, debianVersion, type DebianName, type DebianPackage } from './packages.ts'
import { scriptsOf } from './scripts.ts'
import { commandOf, exampleSettings, installedFolder, unitOf } from './units.ts'

const run = promisify(execFile)
/** Of Node's binary. */
const libraries = ['libc6 (>= 2.28)', 'libgcc-s1 (>= 3.4)', 'libstdc++6 (>= 8)']
const dpkgMsMax = 600_000
const settingsFolder = '/etc/probe-mesh'

/**
 * Packages that apt installs from a folder.
 * @param options.names, .on some of them
 * @throws Error where dpkg-deb is missing
 */
export const makeDebianPackages = async (
  release: Release,
  options: { names?: readonly DebianName[]; on?: readonly Platform[] } = {},
): Promise<Artefact[]> => {
  const { names = Object.keys(debianPackages) as DebianName[], on = platforms } = options
  await run('dpkg-deb', ['--version']).catch((error: unknown) => {
    throw new Error('dpkg-deb is missing: apt install dpkg', { cause: error })
  })
  await mkdir(release.out, { recursive: true })
  const singles = await singleFiles(release.root)
  const artefacts: Artefact[] = []
  for (const name of names) {
    for (const platform of on) {
      const folder = await mkdtemp(join(tmpdir(), 'debian-'))
      try {
        artefacts.push(await makePackage(release, { name, platform, folder, singles }))
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    }
  }
  return artefacts
}

const makePackage = async (
  { root, out, version, time }: Release,
  of: { name: DebianName; platform: Platform; folder: string; singles: readonly SingleFile[] },
): Promise<Artefact> => {
  const { name, platform, folder, singles } = of
  const one: DebianPackage = debianPackages[name]
  const write = async (path: string, content: string | Uint8Array, mode = 0o644): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content, { mode })
  }
  const contents = await writePrograms(root, { one, platform, folder, singles, write })
  for (const unit of one.units) await write(`usr/lib/systemd/system/${unit}`, await unitOf(root, unit, name))
  const conffile = one.settings === null ? null : `${settingsFolder}/${one.settings}.env`
  if (conffile !== null) {
    await write(conffile, exampleSettings[one.settings ?? ''] ?? '', 0o640)
    for (const kept of ['secrets', 'tls']) await mkdir(join(folder, settingsFolder, kept))
  }
  const documents = `usr/share/doc/${name}`
  await write(`${documents}/copyright`, await copyrightOf(root))
  await write(
    `${documents}/LICENCES.txt`,
    `${await licencesOf(contents.modules.map((path) => join(root, path)))}${await installedLicences(root, contents.packages)}`,
  )
  await write(`${documents}/README.md`, await readFile(join(root, 'docs/deploy-debian.md')))
  const changelog = changelogOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version)
  await write(`${documents}/changelog.gz`, gzipSync(changelog, { level: 9 }))

  const kilobytes = await settle(folder)
  const debian = debianVersion(version)
  await write('DEBIAN/control', controlOf(name, { one, version: debian, platform, kilobytes }))
  await write('DEBIAN/md5sums', await md5sumsOf(folder, conffile))
  if (conffile !== null) await write('DEBIAN/conffiles', `${conffile}\n`)
  for (const [script, text] of Object.entries(scriptsOf(one))) await write(`DEBIAN/${script}`, text, 0o755)
  await chmod(join(folder, 'DEBIAN'), 0o755)

  const file = `${name}_${debian}_${architectures[platform]}.deb`
  // what dpkg of Debian 12 reads; xz is 12 % smaller and takes ten times as long
  const packed = [
    '--root-owner-group',
    '-Zzstd',
    '-z9',
    '--threads-max=1',
    '--build',
    folder,
    join(out, file),
  ]
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(time.getTime() / 1_000) }
  await run('dpkg-deb', packed, { env, timeout: dpkgMsMax })
  return { file, kind: 'debian-package', platform, ...contents }
}

type Contents = Pick<Artefact, 'modules' | 'packages'>

const writePrograms = async (
  root: string,
  to: {
    one: DebianPackage
    platform: Platform
    folder: string
    singles: readonly SingleFile[]
    write: (path: string, content: string, mode?: number) => Promise<void>
  },
): Promise<Contents> => {
  const { one, platform, folder, singles, write } = to
  const modules: string[] = []
  await mkdir(join(folder, 'usr/bin'), { recursive: true })
  for (const program of singles) {
    for (const [command, name] of Object.entries(one.files)) {
      if (name !== program.command) continue
      await packFor(root, program, { platform, out: join(folder, 'usr/bin', command) })
      if (name !== command) await symlink(command, join(folder, 'usr/bin', name))
      modules.push(...program.sources)
    }
  }
  if (Object.keys(one.programs).length === 0) return { modules, packages: {} }
  const installed = join(folder, installedFolder)
  await mkdir(join(installed, 'bin'), { recursive: true })
  const staged = await stagePrograms(root, Object.values(one.programs), installed)
  const packages: Record<string, string> = Object.assign(
    {},
    ...staged.shipped.map((program) => program.packages),
  )
  await installPackages(root, packages, { platform, folder: installed })
  await cp(await nodeFor(platform, root), join(installed, 'bin/node'))
  for (const [command, program] of Object.entries(one.programs)) {
    await write(`usr/bin/${command}`, await commandOf(root, program), 0o755)
  }
  return { modules: staged.modules, packages }
}

/**
 * Gives files and folders the modes of a package, whatever the umask was.
 * @returns the size in KiB, as Debian counts it
 */
const settle = async (folder: string): Promise<number> => {
  let kilobytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink()) continue
    const { size, mode } = await stat(path)
    kilobytes += entry.isFile() ? Math.ceil(size / 1_024) : 1
    if (entry.isDirectory()) await chmod(path, path.endsWith(`${settingsFolder}/secrets`) ? 0o700 : 0o755)
    else if (!path.includes(`${settingsFolder}/`)) await chmod(path, (mode & 0o100) === 0 ? 0o644 : 0o755)
    else await chmod(path, 0o640)
  }
  await chmod(folder, 0o755)
  return kilobytes
}

const controlOf = (
  name: DebianName,
  of: { one: DebianPackage; version: string; platform: Platform; kilobytes: number },
): string => {
  const { description, about, suggests } = of.one
  const lines = [
    `Package: ${name}`,
    `Version: ${of.version}`,
    'Section: net',
    'Priority: optional',
    `Architecture: ${architectures[of.platform]}`,
    `Installed-Size: ${of.kilobytes}`,
    'Maintainer: The Probe Mesh authors <root@localhost>',
    `Depends: ${libraries.join(', ')}`,
    ...(suggests.length === 0 ? [] : [`Suggests: ${suggests.join(', ')}`]),
    `Description: ${description}`,
    ...about.map((line) => ` ${line}`),
  ]
  return `${lines.join('\n')}\n`
}

const md5sumsOf = async (folder: string, conffile: string | null): Promise<string> => {
  const lines: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name))
    if (!entry.isFile() || path.startsWith('DEBIAN/') || `/${path}` === conffile) continue
    lines.push(
      `${createHash('md5')
        .update(await readFile(join(folder, path)))
        .digest('hex')}  ${path}\n`,
    )
  }
  return lines.toSorted((a, b) => (a.slice(34) < b.slice(34) ? -1 : 1)).join('')
}

const copyrightOf = async (root: string): Promise<string> =>
  `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Probe Mesh

Files: *
Copyright: 2026 the Probe Mesh authors
License: Apache-2.0
Comment:
${(await readFile(join(root, 'NOTICE'), 'utf8'))
  .trimEnd()
  .split('\n')
  .map((line) => (line === '' ? ' .' : ` ${line}`))
  .join('\n')}

License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.
`
