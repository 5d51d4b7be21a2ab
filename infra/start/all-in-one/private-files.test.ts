import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { testFolder } from '../../testing/folder.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createMeshProcess, type MeshProcess } from '../../testing/mesh-process.ts'
import { ownNames } from '../processes/private-files.ts'

/** `npm start` on a data directory that an earlier version left world-readable. */

const run = promisify(execFile)
const secret = 'password-of-a-check'
const otherUser = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0

const folder = testFolder('private-files-')
let dataDir: string
let mesh: MeshProcess
beforeAll(async () => {
  await chmod(folder, 0o755)
  dataDir = join(folder, '.data')
  for (const name of ['assignments/iad-local', 'bus/readings', 'spool/iad-local']) {
    await mkdir(join(dataDir, name), { recursive: true, mode: 0o755 })
    await writeFile(join(dataDir, name, 'of-an-earlier-version'), secret, { mode: 0o644 })
  }
  await chmod(dataDir, 0o755)
  mesh = await createMeshProcess({
    dataDir,
    environment: { REGIONS: 'iad', TARGET_ALLOW: '127.0.0.0/8', CHROMIUM: 'off' },
  })
  await mesh.start()
  const { apiKey } = await mesh.credentials()
  const created = await fetch(`${mesh.apiUrl}/checks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'private',
      url: `http://127.0.0.1:9/?token=${secret}`,
      intervalSeconds: 60,
    }),
  })
  expect(created.status).toBe(201)
  await vi.waitFor(async () => {
    const cached = await readFile(join(dataDir, 'assignments/iad-local/lines'), 'utf8')
    expect(cached).toContain(secret)
  })
})
afterAll(async () => {
  await mesh.close()
  // after a kill the databases end by themselves
})

const pathsIn = async (root: string): Promise<string[]> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries.map((entry) => join(entry.parentPath, entry.name))
}

/** Postgres protects its own files, which may belong to another user. */
const isOfPostgres = (path: string): boolean => relative(dataDir, path).split(sep)[0] === 'postgres'

test('gives other users no permission on any file it writes', async () => {
  const wide: string[] = []
  for (const path of await pathsIn(dataDir)) {
    if (isOfPostgres(path)) continue
    // the databases may have renamed or removed it
    const mode = (await stat(path).catch(() => null))?.mode ?? 0
    if ((mode & 0o077) !== 0) wide.push(`${relative(dataDir, path)} ${(mode & 0o777).toString(8)}`)
  }
  expect(wide).toEqual([])
})

test('lets other users list neither the data directory nor a folder in it', async () => {
  expect((await stat(dataDir)).mode & 0o066).toBe(0)
  for (const name of ['assignments', 'bus', 'spool', 'postgres', 'clickhouse']) {
    expect([name, (await stat(join(dataDir, name))).mode & 0o077]).toEqual([name, 0])
  }
})

test.skipIf(!isRoot)('lets another user of the machine read no file of the data directory', async () => {
  const paths = await pathsIn(dataDir)
  expect(paths.length).toBeGreaterThan(10)
  const script = 'for path; do head -c 1 "$path" >/dev/null 2>&1 && echo "$path"; done; true'
  const readable: string[] = []
  for (let at = 0; at < paths.length; at += 500) {
    const some = paths.slice(at, at + 500)
    const { stdout } = await run('/bin/sh', ['-c', script, 'sh', ...some], otherUser)
    readable.push(...stdout.split('\n').filter((line) => line !== ''))
  }
  expect(readable).toEqual([])
  // the same user can read a world-readable file
  const open = join(folder, 'open')
  await writeFile(open, 'x', { mode: 0o644 })
  expect((await run('/bin/sh', ['-c', script, 'sh', open], otherUser)).stdout.trim()).toBe(open)
})

test('restricts every name in the data directory at the start', async () => {
  const names = await readdir(dataDir)
  expect(names.filter((name) => !ownNames.includes(name))).toEqual([])
})

test('adds the metrics token to existing credentials and keeps it', async () => {
  const { metricsToken, ...older } = await mesh.credentials()
  expect(metricsToken).toMatch(/^[\w-]{43}$/)
  expect(await mesh.stop()).toBe(0)
  await writeFile(join(dataDir, 'credentials.json'), JSON.stringify(older))
  await mesh.start()
  const anew = await mesh.credentials()
  expect(anew).toMatchObject({
    apiKey: older.apiKey,
    metricsToken: expect.stringMatching(/^.{43}$/),
  })
  const root = new URL(mesh.apiUrl).origin
  const read = (headers: Record<string, string>) =>
    fetch(`${root}/metrics`, { headers }).then(({ status }) => status)
  expect(await read({})).toBe(401)
  expect(await read({ authorization: `Bearer ${anew.metricsToken}` })).toBe(200)
})
