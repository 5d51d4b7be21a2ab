import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Lockfile } from './lockfile.ts'

type Manifest = { name?: string; workspaces?: string[]; devDependencies?: unknown }

/**
 * Writes the bill of materials of production: every package of the lockfile that production needs, with its
 * checksum and license, installed or not.
 *
 * npm creates it from a copy of the manifests and the lockfile without development packages. Its own option
 * to omit those also omits packages that production and development share.
 * @returns CycloneDX as JSON, with a line break at its end
 */
export const productionSbom = async (
  root: string,
  npm: (args: readonly string[], cwd: string) => Promise<string>,
): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sbom-'))
  try {
    const read = async <T>(name: string): Promise<T> =>
      JSON.parse(await readFile(join(root, name), 'utf8')) as T
    const manifest = await read<Manifest>('package.json')
    // npm names the whole after its folder
    const copy = join(folder, manifest.name ?? 'production')
    const write = async (path: string, content: object): Promise<void> => {
      await mkdir(join(copy, path), { recursive: true })
      await writeFile(join(copy, path, 'package.json'), JSON.stringify(content))
    }
    await write('', withoutDevelopment(manifest))
    for (const workspace of manifest.workspaces ?? []) {
      await write(workspace, withoutDevelopment(await read<Manifest>(`${workspace}/package.json`)))
    }
    const lockfile = productionLockfile(await read<Lockfile>('package-lock.json'))
    await writeFile(join(copy, 'package-lock.json'), JSON.stringify(lockfile))
    const flags = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
    return `${JSON.stringify(JSON.parse(await npm(['sbom', ...flags], copy)), null, 2)}\n`
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const withoutDevelopment = <T extends object>({ ...manifest }: T & { devDependencies?: unknown }): object => {
  delete manifest.devDependencies
  return manifest
}

/** A lockfile without the packages that only development needs. */
const productionLockfile = ({ packages, ...lockfile }: Lockfile): Lockfile => ({
  ...lockfile,
  packages: Object.fromEntries(
    Object.entries(packages).flatMap(([path, entry]) =>
      entry.dev === true ? [] : [[path, withoutDevelopment(entry)]],
    ),
  ),
})
