import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nkeys } from '@nats-io/nats-core'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readNatsCredentials } from './credentials.ts'
import { createSeed, publicKeyOfSeed } from './seeds.ts'

let folder = ''
beforeAll(() => {
  folder = testFolder('probe-mesh-credentials-')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const seed = createSeed('user')
const token = 'eyJ0eXAi.eyJqdGki.c2lnbmF0dXJl'
const creds = (held = seed) => `-----BEGIN NATS USER JWT-----
${token}
------END NATS USER JWT------

************************* IMPORTANT *************************
-----BEGIN USER NKEY SEED-----
${held}
------END USER NKEY SEED------

*************************************************************
`
const write = async (text: string, mode = 0o600): Promise<string> => {
  const path = join(folder, 'file')
  await writeFile(path, text)
  await chmod(path, mode)
  return path
}

test.each([
  ['a seed alone', seed],
  ['a seed with white space around it', `\n  ${seed}\t\r\n\n`],
  ['a seed behind comments', `# of the agents of fra\n  # keep it\n${seed}\n`],
])('%s signs as its holder', async (_, text) => {
  const { authenticator, warning } = await readNatsCredentials(await write(text))
  expect(authenticator('nonce')).toMatchObject({
    nkey: publicKeyOfSeed(seed),
    sig: expect.stringMatching(/.{80,}/),
  })
  expect(warning).toBeNull()
})

test.each([
  ['as they are made', creds()],
  ['with the line ends of Windows', creds().replaceAll('\n', '\r\n')],
  ['without a line end at the end', creds().trimEnd()],
])('NATS credentials %s give their token and sign', async (_, text) => {
  const { authenticator } = await readNatsCredentials(await write(text))
  expect(authenticator('nonce')).toMatchObject({ jwt: token, nkey: publicKeyOfSeed(seed) })
})

test('uses new credentials at the next connection, and the last ones while the file has none', async () => {
  const path = await write(seed)
  const { authenticator } = await readNatsCredentials(path)
  const keyNow = () => Object(authenticator('nonce')).nkey
  const next = createSeed('user')
  await write(next)
  expect(keyNow()).toBe(publicKeyOfSeed(next))
  await write('half of')
  expect(keyNow()).toBe(publicKeyOfSeed(next))
  await rm(path)
  expect(keyNow()).toBe(publicKeyOfSeed(next))
})

const accountSeed = Buffer.from(nkeys.createAccount().getSeed()).toString()
// the last character has three bits of the checksum and two unused ones, in which A and B differ
const flipped = `${seed.slice(0, -1)}${seed.endsWith('A') ? 'E' : 'A'}`

test.each([
  ['nothing', ''],
  ['comments alone', '# SU\n'],
  ['a seed with a wrong character', flipped],
  ['a seed that is cut off', seed.slice(0, -1)],
  ['two seeds', `${seed}\n${createSeed('user')}`],
  ['the seed of an account', accountSeed],
  ['a public key', publicKeyOfSeed(seed)],
  ['credentials with a wrong seed', creds(flipped)],
  ['credentials without a token', creds().replace(token, '')],
])('%s is refused, without a word of it', async (_, text) => {
  const path = await write(text)
  const error = await readNatsCredentials(path).catch((refused: unknown) => refused)
  expect(error).toMatchObject({ message: expect.stringContaining(path) })
  expect(String(error)).toContain('holds no NATS credentials')
  const said = `${JSON.stringify(error)} ${error instanceof Error ? error.stack : ''}`
  for (const secret of [seed, flipped, accountSeed, token]) expect(said).not.toContain(secret)
})

test.each([
  ['a file that is not there', () => join(folder, 'missing'), 'there is no such file'],
  ['a folder', () => folder, 'it is not a file'],
])('%s is named with what is wrong', async (_, path, reason) => {
  await expect(readNatsCredentials(path())).rejects.toThrow(`${path()}: ${reason}`)
})

test('a file larger than any credentials is not read', async () => {
  await expect(readNatsCredentials(await write('#'.repeat(70_000)))).rejects.toThrow('too large')
})

test.each([
  [0o600, false],
  [0o400, false],
  [0o640, true],
  [0o604, true],
])('warns of a file with mode %o: %s', async (mode, warns) => {
  const { warning } = await readNatsCredentials(await write(seed, mode))
  expect(warning !== null).toBe(warns)
  expect(warning ?? '').not.toContain(seed)
})
