import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { bundleCommandLine } from '@probe-mesh/cli/package/bundle'
import { licencesOf } from '@probe-mesh/cli/package/licences'
import { entriesOf, tarGz } from '../archive.ts'
import type { Artefact, Release } from '../release.ts'
import { buildPackage } from './build.ts'
import { serverPackages, type ServerPackage } from './packages.ts'

/** Packages for npm, which `npx FILE` starts. */
export const makePackages = async (release: Release): Promise<Artefact[]> => {
  const { root, out, version, time } = release
  const artefacts: Artefact[] = []
  for (const name of Object.keys(serverPackages) as ServerPackage[]) {
    const folder = await mkdtemp(join(tmpdir(), 'package-'))
    try {
      const { modules, packages } = await buildPackage(root, name, { folder, version })
      const file = `${name}-${version}.tgz`
      await writeFile(join(out, file), await tarGz(await entriesOf(folder, 'package'), time))
      artefacts.push({ file, kind: 'npm-package', platform: null, modules, packages })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return [...artefacts, await makeCommandLine(release)]
}

/** The command line, which has no package but those in its bundle. */
const makeCommandLine = async ({ root, out, version, time }: Release): Promise<Artefact> => {
  const { files, modules } = await bundleCommandLine()
  const source = JSON.parse(await readFile(join(root, 'cli/package.json'), 'utf8')) as Record<string, unknown>
  const { description, license, bin, type, engines } = source
  const manifest = { name: 'probe-mesh-cli', version, description, license, bin, type, engines }
  const entry = (path: string, content: string | Buffer, mode = 0o644) => ({
    name: `package/${path}`,
    bytes: Buffer.from(content),
    mode,
  })
  const entries = [
    entry('package.json', `${JSON.stringify(manifest, null, 2)}\n`),
    entry('README.md', await readFile(join(root, 'cli/README.md'))),
    entry('LICENSE', await readFile(join(root, 'LICENSE'))),
    entry('dist/LICENCES.txt', await licencesOf(modules)),
    ...[...files].map(([file, code]) => entry(`dist/${file}`, code, file === 'service.js' ? 0o755 : 0o644)),
  ]
  const file = `probe-mesh-cli-${version}.tgz`
  await mkdir(out, { recursive: true })
  await writeFile(join(out, file), await tarGz(entries, time))
  const fromRoot = modules.map((module) => relative(root, module))
  return { file, kind: 'npm-package', platform: null, modules: fromRoot, packages: {} }
}
