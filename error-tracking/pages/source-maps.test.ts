import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { mainOf, withoutOwnScript } from '@probe-mesh/web/src/testing/flat'
import { hostile } from '@probe-mesh/web/src/testing/publisher'
import { useTestWeb, type Visitor } from '@probe-mesh/web/src/testing/test-web'
import { bytesText, uploadLines } from './source-maps-page.ts'

const web = useTestWeb()

const projectOf = async (member: Visitor): Promise<string> => {
  const made = await member.post('/dashboard/errors', { name: hostile, platform: 'browser' })
  return /^\/dashboard\/errors\/([\w-]{36})$/.exec(made.to ?? '')?.[1] ?? ''
}
const insertMaps = async (accountId: string, projectId: string, count: number): Promise<string> => {
  const uploadId = randomUUID()
  await web.at.sql`
    insert into error_source_maps
    select gen_random_uuid(), ${accountId}, ${projectId}, gen_random_uuid(), ${uploadId},
      ${hostile} || n, ${hostile}, decode(repeat('00', 1536), 'hex'), 1, now(), now(), null
    from generate_series(1, ${count}) as n`
  return uploadId
}

test('shows how to upload maps, which are stored, and how much space is used', async () => {
  const member = await web.member()
  const id = await projectOf(member)
  const path = `/dashboard/errors/${id}/source-maps`
  expect((await member.get(`/dashboard/errors/${id}/settings`)).text).toContain(`href="${path}"`)
  const empty = await member.get(path)
  expect(empty.text).toContain('No source maps yet')
  expect(empty.text).toMatch(/sentry-cli|sourcemaps upload --org any --project \d+ dist/)
  expect(empty.text).toContain('export SENTRY_URL=http://127.0.0.1:8080')
  await insertMaps(member.accountId, id, 51)
  const page = await member.get(path)
  const main = mainOf(page.text)
  expect(main).toContain('<strong>76.5 KiB</strong>of 512 MiB')
  expect(main).toContain('51 maps')
  expect(main).toContain('and 1 more')
  expect(withoutOwnScript(page.raw)).not.toContain('<script>')
  // not of another account
  const other = await web.member()
  expect(await other.get(path)).toMatchObject({ status: 404 })
})

test('deletes an upload after a page that lists what is deleted', async () => {
  const member = await web.member()
  const id = await projectOf(member)
  const path = `/dashboard/errors/${id}/source-maps`
  const gone = await insertMaps(member.accountId, id, 1)
  const stays = await insertMaps(member.accountId, id, 2)
  const asked = await member.get(`${path}/${gone}/delete`)
  expect(asked.text).toContain('1 map uploaded')
  expect(asked.text).toContain('1.5 KiB become free')
  expect(await member.post(`${path}/${gone}/delete`)).toMatchObject({ status: 303, to: path })
  const after = await member.get(path)
  expect(after.text).not.toContain(gone)
  expect(after.text).toContain(stays)
  // once it is gone there is nothing to ask, and nothing to delete
  expect(await member.get(`${path}/${gone}/delete`)).toMatchObject({ status: 303, to: path })
  expect(await member.post(`${path}/${gone}/delete`)).toMatchObject({ status: 404 })
})

test.each([
  [0, '0 bytes'],
  [1_023, '1023 bytes'],
  [1_024, '1 KiB'],
  [1_536, '1.5 KiB'],
  [512 * 1_048_576, '512 MiB'],
  [5_000 * 1_073_741_824, '5000 GiB'],
])('%d bytes are said as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})

test('the address of the upload keeps the path of a public address', () => {
  const lines = uploadLines(`https://${'a'.repeat(32)}@example.com/mesh/17`)
  expect(lines).toContain('SENTRY_URL=https://example.com/mesh\n')
  expect(lines).toContain('--project 17 dist')
})
