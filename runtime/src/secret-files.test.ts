import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { withSecretFiles } from './secret-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'secret-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}
const names = ['SECRETS_KEY', 'GATEWAY_KEY']

test('adds the content of a secret file to the environment and changes nothing else', () => {
  const path = file('key', 'a secret\n')
  const given = { SECRETS_KEY_FILE: path, REGIONS: 'fra' }
  expect(withSecretFiles(given, names)).toEqual({
    environment: { ...given, SECRETS_KEY: 'a secret' },
    problems: [],
  })
})

test('does not read the file of a variable that is not a secret', () => {
  const given = { REGIONS_FILE: file('regions', 'fra') }
  expect(withSecretFiles(given, names)).toEqual({ environment: given, problems: [] })
})

test('lists every problem without the contents of any file', () => {
  const { problems } = withSecretFiles(
    {
      SECRETS_KEY_FILE: '/nowhere/key',
      GATEWAY_KEY_FILE: file('both', 'of-the-file'),
      GATEWAY_KEY: 'of-the-environment',
      EMPTY_FILE: file('empty', '\n'),
      LARGE_FILE: file('large', 'x'.repeat(64 * 1024 + 1)),
    },
    [...names, 'EMPTY', 'LARGE'],
  )
  expect(problems).toEqual([
    expect.stringMatching(/^SECRETS_KEY_FILE \/nowhere\/key cannot be read: ENOENT/),
    'GATEWAY_KEY and GATEWAY_KEY_FILE are both set',
    expect.stringMatching(/^EMPTY_FILE .* is empty$/),
    expect.stringMatching(/^LARGE_FILE .* is larger than 65536 bytes$/),
  ])
  expect(problems.join()).not.toMatch(/of-the-/)
})

test('reads a file of 64 KiB', () => {
  const { environment } = withSecretFiles({ SECRETS_KEY_FILE: file('most', 'x'.repeat(65_536)) }, names)
  expect(environment['SECRETS_KEY']).toHaveLength(65_536)
})
