import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testFolder } from '../../testing/folder.ts'
import { expect, onTestFinished, test } from 'vitest'
import { adminLine as admin } from './testing/admin-line.ts'

const SECRETS_KEY = 'the secrets key of the tests, 32 characters'

test('prints the key of a region, which follows from SECRETS_KEY, without a database', async () => {
  const key = await admin('region-key fra', { SECRETS_KEY })
  expect(key).toEqual({ code: 0, out: expect.stringMatching(/^[0-9a-f]{64}\n$/), error: '' })
  expect(await admin('region-key fra', { SECRETS_KEY })).toEqual(key)
  const other = JSON.parse((await admin('region-key iad --json', { SECRETS_KEY })).out)
  expect(other).toEqual({ region: 'iad', key: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(other.key).not.toBe(key.out.trim())
  expect(await admin('region-key Fra', { SECRETS_KEY })).toMatchObject({ code: 1 })
})

test('finds the key of the instance on DATA_DIR, and says where it looked', async () => {
  const folder = testFolder('probe-mesh-admin-')
  onTestFinished(() => rm(folder, { recursive: true }))
  const without = await admin('region-key fra', { DATA_DIR: folder })
  expect(without).toMatchObject({ code: 1, error: expect.stringContaining('SECRETS_KEY is not set') })
  await writeFile(join(folder, 'secrets.key'), `${SECRETS_KEY}\n`)
  expect(await admin('region-key fra', { DATA_DIR: folder })).toEqual(
    await admin('region-key fra', { SECRETS_KEY }),
  )
})
