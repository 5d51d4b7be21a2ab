import { execFile } from 'node:child_process'
import { glob, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { expect, test } from 'vitest'
import { packagesInBill } from './testing/bill-of.ts'
import { readBill, readManifest, root } from './testing/make-release.ts'

const run = promisify(execFile)

const readJson = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8')) as T

/** Unpacks an archive of a release. @returns the folder */
const unpack = async (archive: string): Promise<string> => {
  const folder = testFolder('install-bill-')
  await mkdir(folder, { recursive: true })
  await run('tar', ['-xzf', archive, '-C', folder])
  return folder
}

/** The packages whose files the source maps of a package's bundles name, as `name@version`. */
const packagesInMaps = async (folder: string): Promise<Set<string>> => {
  const found = new Set<string>()
  for await (const map of glob('package/program/**/*.map', { cwd: folder })) {
    const { sources } = await readJson<{ sources: string[] }>(join(folder, map))
    for (const source of sources) {
      const place = /((?:\w[\w-]*\/)?node_modules\/.*?(?:@[^/]+\/)?[^/@]+)\/(?!.*node_modules)/.exec(
        source,
      )?.[1]
      const name = /(?:.*node_modules\/)((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]
      if (name === undefined || place === undefined || name.startsWith('@probe-mesh/')) continue
      const own = source.slice(source.search(/(?:[\w-]+\/)?node_modules\//))
      const manifest = join(
        root,
        own.slice(0, own.lastIndexOf(`node_modules/${name}/`)),
        'node_modules',
        name,
      )
      const { version } = await readJson<{ version: string }>(join(manifest, 'package.json'))
      found.add(`${name}@${version}`)
    }
  }
  return found
}

/** The packages whose licences an archive has, as `name@version`. */
const packagesInLicences = async (folder: string): Promise<Set<string>> => {
  const found = new Set<string>()
  for await (const file of glob('**/LICENCES.txt', { cwd: folder })) {
    const text = await readFile(join(folder, file), 'utf8')
    for (const [, name, version] of text.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\d+\.\d+\S*) \(.+\)$/gm))
      found.add(`${name}@${version}`)
  }
  return found
}

/** The packages that only people who work on the product install, by what npm marks in the lockfile. */
const developmentNames = async (): Promise<Set<string>> => {
  type Manifest = { workspaces: string[]; devDependencies?: object }
  const manifest = await readJson<Manifest>(join(root, 'package.json'))
  // the command line and the provider are bundled whole: what they need is a development package of theirs
  const workspaces = manifest.workspaces.filter((name) => name !== 'cli' && name !== 'terraform')
  const others = await Promise.all(
    workspaces.map((name) => readJson<Manifest>(join(root, name, 'package.json'))),
  )
  const lock = await readJson<{ packages: Record<string, { dev?: boolean }> }>(
    join(root, 'package-lock.json'),
  )
  const names = [manifest, ...others].flatMap(({ devDependencies = {} }) => Object.keys(devDependencies))
  const marked = names.filter((name) => lock.packages[`node_modules/${name}`]?.dev === true)
  return new Set([...marked, 'rolldown', 'yazl', '@types/react'])
}

/** The bill of materials against what is in the archives. @param release the folder of a release */
export const billRules = (release: () => string): void => {
  test('the bill names every package whose code or licence is in an archive', async () => {
    const { files } = await readManifest(release())
    const archives = files.filter(({ kind }) => kind === 'npm-package' || kind === 'single-file')
    expect(archives.length).toBeGreaterThan(0)
    for (const { file } of archives) {
      const folder = await unpack(join(release(), file))
      const inside = new Set([...(await packagesInMaps(folder)), ...(await packagesInLicences(folder))])
      const listed = await packagesInBill(release(), file)
      expect(inside.size, file).toBeGreaterThan(0)
      expect(
        [...inside].filter((one) => !listed.has(one)),
        file,
      ).toEqual([])
    }
  })

  test('the bill has every artefact with code, and no development package', async () => {
    const { files } = await readManifest(release())
    const code = files.filter(({ kind }) => kind !== 'document').map(({ file }) => file)
    const { components } = await readBill(release())
    const holders = new Set(components.flatMap(({ properties }) => properties.map(({ value }) => value)))
    expect(code.filter((file) => !holders.has(file))).toEqual([])
    const development = await developmentNames()
    expect(development.size).toBeGreaterThan(20)
    expect(components.map(({ name }) => name).filter((name) => development.has(name))).toEqual([])
  })
}
