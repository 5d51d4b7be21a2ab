import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { errorPools } from '../contracts/error-pools.ts'
import { sourceMapLimits } from '../contracts/source-map.ts'
import { expect, test, vi } from 'vitest'
import { bundleOf, debugIdA, smallMap } from './testing/zip.ts'
import { insertTestErrorProject } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { useTestApp, type TestAccount } from '@probe-mesh/control-plane/src/app/testing/test-app'

const at = useTestApp({ config: { budgetScale: 10 } })

const chunksPath = '/api/0/organizations/any/chunk-upload/'
const assemblePath = '/api/0/organizations/any/artifactbundle/assemble/'
const sha1Of = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex')

type Part = { field?: string; name: string; bytes: Uint8Array }
/** Sends chunks like `sentry-cli`. */
const send = (key: string | undefined, parts: readonly Part[]) => {
  const boundary = 'the-boundary-of-the-tests'
  const body = Buffer.concat([
    ...parts.flatMap(({ field = 'file', name, bytes }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
      ),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  return at.call('POST', chunksPath, { ...(key === undefined ? {} : { key }), body, headers })
}
const chunkOf = (bytes: Uint8Array): Part => ({ name: sha1Of(bytes), bytes })
const assemble = (key: string, bundle: Uint8Array, projects: readonly string[], more: object = {}) =>
  at.call('POST', assemblePath, {
    key,
    body: { checksum: sha1Of(bundle), chunks: [sha1Of(bundle)], projects, ...more },
  })
const upload = async ({ writeKey }: TestAccount, bundle: Uint8Array, projects: readonly string[]) => {
  expect(await send(writeKey, [chunkOf(bundle)])).toMatchObject({ status: 200 })
  return assemble(writeKey, bundle, projects, { version: 'shop@1' })
}
const mapsOf = (projectId: string) => at.sql`
  select debug_id, file, release, deleted_at is not null as deleted from error_source_maps
  where project_id = ${projectId} order by uploaded_at, id`
const chunksOf = async ({ id }: TestAccount) => {
  const [row] = await at.sql<{ chunks: number }[]>`
    select count(*)::integer as chunks from error_upload_chunks where account_id = ${id}`
  return row?.chunks
}

test('assembles an upload from plain and compressed chunks, and stores its maps for each project', async () => {
  const account = await at.account('scale')
  const projects = [
    await insertTestErrorProject(at.sql, account.id, { name: 'a' }),
    await insertTestErrorProject(at.sql, account.id, { name: 'b' }),
  ]
  const options = await at.call('GET', chunksPath, { key: account.writeKey })
  expect(options.json).toMatchObject({
    url: `http://127.0.0.1:8080${chunksPath}`,
    hashAlgorithm: 'sha1',
  })
  const bundle = bundleOf()
  const [head, tail] = [bundle.subarray(0, 100), bundle.subarray(100)]
  const chunks = [sha1Of(head), sha1Of(tail)]
  const whole = () =>
    assemble(account.writeKey, bundle, ['a', projects[1] ?? ''], { chunks, version: 'shop@1' })
  expect(await send(account.writeKey, [chunkOf(head)])).toMatchObject({ status: 200 })
  expect((await whole()).json).toEqual({ state: 'not_found', missingChunks: [chunks[1]] })
  const packed = { field: 'file_gzip', name: sha1Of(tail), bytes: gzipSync(tail) }
  expect(await send(account.writeKey, [packed])).toMatchObject({ status: 200 })
  expect((await whole()).json).toMatchObject({ state: 'ok', missingChunks: [] })
  for (const id of projects) {
    expect(await mapsOf(id)).toEqual([
      { debug_id: debugIdA, file: '~/app.js.map', release: 'shop@1', deleted: false },
    ])
  }
  expect(await chunksOf(account)).toBe(0)
  const audit = await at.sql`
    select resource_id from audit_log where account_id = ${account.id} and action = 'uploadSourceMaps'`
  expect(audit.map((row) => row['resource_id']).toSorted()).toEqual(projects.toSorted())
})

test('a new map with the same debug id deletes the previous one', async () => {
  const account = await at.account('growth')
  const project = await insertTestErrorProject(at.sql, account.id)
  const other = bundleOf(undefined, [{ name: 'files/_/_/~/app.js.map', data: smallMap({ file: 'b' }) }])
  expect(await upload(account, bundleOf(), [project])).toMatchObject({ status: 200 })
  expect(await upload(account, other, [project])).toMatchObject({ status: 200 })
  expect(await mapsOf(project)).toMatchObject([{ deleted: true }, { deleted: false }])
})

test('rejects uploads with a read key, and uploads to projects of other accounts', async () => {
  const [account, other, free] = [
    await at.account('scale'),
    await at.account('scale'),
    await at.account('free'),
  ]
  const project = await insertTestErrorProject(at.sql, other.id)
  const bundle = bundleOf()
  for (const [key, code] of [
    [undefined, 'SV-1001'],
    ['sv_rw_nobody', 'SV-1002'],
    [free.writeKey, 'SV-1003'],
    [account.readKey, 'SV-1004'],
  ] as const) {
    const answer = await send(key, [chunkOf(bundle)])
    expect(answer.json).toMatchObject({ code, detail: expect.any(String) })
  }
  // sentry-cli shows the detail only with this content type
  const foreign = await upload(account, bundle, [project])
  expect(foreign.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(foreign).toMatchObject({ status: 422, json: { code: 'SV-2101' } })
  // accounts do not see each other's chunks
  expect((await assemble(other.writeKey, bundle, [project])).json).toMatchObject({
    state: 'not_found',
  })
  expect(await mapsOf(project)).toEqual([])
})

const { chunkBytesMax, chunksPerRequestMax, accountMapsMax, accountChunkBytesMax } = sourceMapLimits
const large = Buffer.alloc(chunkBytesMax + 1)

test.each<[string, Part[], number, string]>([
  ['a name that differs from the hash', [{ name: '0'.repeat(40), bytes: Buffer.from('x') }], 422, 'SHA-1'],
  ['one byte too many', [chunkOf(large)], 422, 'SHA-1'],
  ['a gzip bomb', [{ field: 'file_gzip', name: sha1Of(large), bytes: gzipSync(large) }], 422, 'SHA-1'],
  [
    'invalid gzip',
    [{ field: 'file_gzip', name: sha1Of(Buffer.from('x')), bytes: Buffer.from('x') }],
    422,
    'SHA-1',
  ],
  [
    'too many in one request',
    Array.from({ length: chunksPerRequestMax + 1 }, (_, n) => chunkOf(Buffer.from([n]))),
    422,
    'at most 2 chunks',
  ],
  [
    'a body that is too large',
    Array.from({ length: chunksPerRequestMax + 1 }, () => chunkOf(Buffer.alloc(chunkBytesMax))),
    413,
    'larger than',
  ],
])('refuses chunks with %s and stores none of them', async (_what, parts, status, why) => {
  const account = await at.account('scale')
  const good = chunkOf(Buffer.from('good'))
  const sent = parts.length < chunksPerRequestMax ? [good, ...parts] : parts
  const answer = await send(account.writeKey, sent)
  expect(answer.status).toBe(status)
  expect(answer.json.detail).toContain(why)
  expect(await chunksOf(account)).toBe(0)
})

test.each([
  ['a form without a boundary', { headers: { 'content-type': 'multipart/form-data' }, body: 'x' }, 422],
  ['JSON', { body: {} }, 422],
  ['a broken form', { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: '--b\r\n' }, 422],
  ['another content type', { headers: { 'content-type': 'text/plain' }, body: 'x' }, 400],
])('refuses an upload with %s', async (_what, sent, status) => {
  const { writeKey: key } = await at.account('scale')
  expect(await at.call('POST', chunksPath, { key, ...sent })).toMatchObject({ status })
})

test.each([
  ['no checksum', { checksum: undefined }],
  ['an invalid checksum', { checksum: 'x' }],
  ['no chunks', { chunks: [] }],
  ['too many chunks', { chunks: Array.from({ length: 40_000 }, () => 'a'.repeat(40)) }],
  ['no projects', { projects: undefined }],
  ['too many projects', { projects: Array.from({ length: 11 }, () => '1') }],
])('refuses to assemble an upload with %s', async (_what, wrong) => {
  const { writeKey } = await at.account('scale')
  const answer = await assemble(writeKey, bundleOf(), ['1'], wrong)
  expect([413, 422]).toContain(answer.status)
})

test('refuses uploads with a wrong checksum or unusable content, and deletes their chunks', async () => {
  const account = await at.account('scale')
  const project = await insertTestErrorProject(at.sql, account.id)
  const bundle = bundleOf()
  await send(account.writeKey, [chunkOf(bundle)])
  const wrong = await assemble(account.writeKey, bundle, [project], { checksum: '0'.repeat(40) })
  expect(wrong.json).toMatchObject({ code: 'SV-2101', detail: expect.stringContaining('checksum') })
  expect(await chunksOf(account)).toBe(0)
  const broken = await upload(account, Buffer.from('no zip'), [project])
  expect(broken.json).toMatchObject({ code: 'SV-2101' })
  expect(await chunksOf(account)).toBe(0)
  expect(await mapsOf(project)).toEqual([])
})

test('limits stored maps and chunks per account', async () => {
  const account = await at.account('scale')
  const project = await insertTestErrorProject(at.sql, account.id)
  expect(await upload(account, bundleOf(), [project])).toMatchObject({ status: 200 })
  await at.sql`
    insert into error_upload_chunks
    select ${account.id}, substring(decode(md5(n::text) || '00000000', 'hex') from 1 for 20),
      decode(repeat('00', ${chunkBytesMax}), 'hex'), now()
    from generate_series(1, ${accountChunkBytesMax / chunkBytesMax}) as n`
  const chunk = await send(account.writeKey, [chunkOf(Buffer.from('one more'))])
  expect(chunk.json).toMatchObject({ code: 'SV-4101' })
  await at.sql`delete from error_upload_chunks where account_id = ${account.id}`
  await at.sql`
    insert into error_source_maps
    select gen_random_uuid(), account_id, project_id, gen_random_uuid(), upload_id, file, release,
      packed, read_bytes, uploaded_at, used_at from error_source_maps, generate_series(2, ${accountMapsMax})
    where account_id = ${account.id}`
  const full = await upload(account, bundleOf(), [project])
  expect(full.json).toMatchObject({
    code: 'SV-4101',
    detail: expect.stringContaining('Delete some'),
  })
})

test('uploads of one account do not block those of another', async () => {
  const [hog, other] = [await at.account('scale'), await at.account('scale')]
  const projects = new Map<TestAccount, string>()
  for (const account of [hog, other]) {
    projects.set(account, await insertTestErrorProject(at.sql, account.id, { name: 'p' }))
  }
  const bundle = bundleOf()
  for (const { writeKey } of [hog, other]) await send(writeKey, [chunkOf(bundle)])
  const { placesOfOwner, waitingOfOwner } = errorPools.errorMapUploads.bounds
  const share = placesOfOwner + waitingOfOwner
  // a lock on the account's row blocks its uploads
  const { statuses, others } = await at.sql.begin(async (tx) => {
    await tx`select id from accounts where id = ${hog.id} for update`
    const waiting = Array.from({ length: share }, () => assemble(hog.writeKey, bundle, ['p']))
    await vi.waitFor(async () => {
      expect(await at.registry.metrics()).toContain(`pool_waiting{pool="errorMapUploads"} ${waitingOfOwner}`)
    })
    const refused = await assemble(hog.writeKey, bundle, ['p'])
    expect(refused).toMatchObject({ status: 503, json: { code: 'SV-9002' } })
    return { statuses: waiting, others: (await assemble(other.writeKey, bundle, ['p'])).json }
  })
  expect(others).toMatchObject({ state: 'ok' })
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 200, 200])
})
