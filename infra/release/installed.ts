import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installedWith, nameIn, readLock } from './bill.ts'
import type { Platform } from './nodes.ts'

const run = promisify(execFile)
const installMsMax = 300_000

/**
 * Installs packages with all that they need for a platform, at the versions and with the checksums of our lockfile.
 * No script of a package runs.
 * @param packages by name and version
 * @param folder gets node_modules and nothing else
 * @throws Error where the registry does not give a package, or gives another one
 */
export const installPackages = async (
  root: string,
  packages: Readonly<Record<string, string>>,
  { platform, folder }: { platform: Platform; folder: string },
): Promise<void> => {
  const lock = await readLock(root)
  // npm refuses a package for another platform, unless it is optional
  const [optional, always] = [true, false].map((isOptional) =>
    Object.fromEntries(
      Object.entries(packages).filter(
        ([name]) => (lock[`node_modules/${name}`]?.os !== undefined) === isOptional,
      ),
    ),
  )
  const manifest = {
    name: 'installed',
    version: '1.0.0',
    dependencies: always,
    optionalDependencies: optional,
  }
  const folders = installedWith(packages, lock)
  // a package that the lockfile has for development only may be one of an installed copy
  const locked = [...folders].map((path) => [path, { ...lock[path], dev: undefined }] as const)
  const files = {
    'package.json': manifest,
    'package-lock.json': {
      ...manifest,
      lockfileVersion: 3,
      packages: { '': manifest, ...Object.fromEntries(locked) },
    },
  }
  for (const [file, content] of Object.entries(files)) {
    await writeFile(join(folder, file), JSON.stringify(content))
  }
  const [os, cpu] = platform.split('-')
  const place = [`--os=${os}`, `--cpu=${cpu}`, '--libc=glibc']
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--no-bin-links']
  await run('npm', ['ci', ...place, ...quiet], { cwd: folder, timeout: installMsMax })
  for (const file of [...Object.keys(files), 'node_modules/.package-lock.json']) await rm(join(folder, file))
}

/** The licences of installed packages, one package a line, as our lockfile has them. */
export const installedLicences = async (
  root: string,
  packages: Readonly<Record<string, string>>,
): Promise<string> => {
  const lock = await readLock(root)
  const folders = installedWith(packages, lock)
  const lines = [...folders].toSorted().map((path) => {
    const { version, license } = lock[path] ?? {}
    return `${nameIn(path)} ${version}: ${license ?? 'see its folder'}\n`
  })
  return lines.join('')
}
