import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Check } from '@probe-mesh/contracts/check'
import { createTypedCheck } from '@probe-mesh/control-plane/account/create-typed-check'
import { taken, typedChecks, writingContext } from '@probe-mesh/control-plane/account/testing'
import { startTestApp } from '@probe-mesh/control-plane/http/testing'
import type { TestAccount, TestApp } from '@probe-mesh/control-plane/http/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { installOldestNode, installPackage } from './install-package.ts'
import type { InstalledPackage } from './install-package.ts'
import { runService } from './run-service.ts'
import type { Ran } from './run-service.ts'

/** The specification's command-line section, rule by rule, by the installed package and a control plane. */

let service: InstalledPackage
let at: TestApp
let apiUrl: string
let account: TestAccount
let folder: string

beforeAll(async () => {
  ;[service, at] = await Promise.all([installPackage(), startTestApp()])
  apiUrl = `${await at.app.listen({ host: '127.0.0.1', port: 0 })}/v1`
}, 180_000)
afterAll(async () => {
  await Promise.all([service?.close(), at?.close()])
})
beforeEach(async () => {
  account = await at.account('growth')
  folder = await mkdtemp(join(tmpdir(), 'service-'))
  return () => rm(folder, { recursive: true })
})

/** Runs `service` where the file is, with the account's key. */
const run = (...args: string[]): Promise<Ran> =>
  runService(service.bin, args, {
    cwd: folder,
    environment: { SERVICE_API_URL: apiUrl, SERVICE_API_KEY: account.writeKey },
  })
const write = (text: string, name = 'checks.yaml'): Promise<void> =>
  writeFile(join(folder, name), text)
const file = (...checks: string[]): Promise<void> =>
  write(
    checks.length === 0 ? 'version: 1\nchecks: []\n' : `version: 1\nchecks:\n${checks.join('')}`,
  )
const check = (name: string, ...fields: string[]): string =>
  [`  - name: ${name}`, `url: https://${name}.example.com/`, ...fields].join('\n    ') + '\n'
const list = async (): Promise<Check[]> =>
  (await at.call('GET', '/v1/checks', { key: account.writeKey })).json.checks
const create = async (name: string, more: object = {}): Promise<Check> => {
  const body = { name, url: `https://${name}.example.com/`, ...more }
  return (await at.call('POST', '/v1/checks', { key: account.writeKey, body })).json
}
const createTyped = async (type: keyof typeof typedChecks, name: string): Promise<Check> =>
  taken(
    await createTypedCheck(
      writingContext(at.sql),
      { accountId: account.id, actor: { kind: 'operator' } },
      { ...typedChecks[type].body, name },
    ),
  )
const otherTypes = ['heartbeat', 'tcp', 'dns', 'smtp', 'multistep'] as const
const names = async (): Promise<string[]> => (await list()).map(({ name }) => name).toSorted()
const said = (exitCode: number, out: string, err = ''): Ran => ({ exitCode, out, err })

test('it is one package, without others', () => {
  expect(service.others).toEqual([])
})

describe('export', () => {
  test('writes the http checks, names the others in a comment, and plans nothing when applied back', async () => {
    await create('web', {
      regions: ['iad'],
      assertionJsonPath: '$["é: #"]',
      assertionJsonOp: 'exists',
    })
    await create('number', { name: '007', intervalSeconds: 300 })
    for (const type of otherTypes) await createTyped(type, `a ${type}`)
    expect(await run('export', '-f', 'checks.yaml')).toEqual(
      said(0, 'Wrote 2 checks to checks.yaml.\n'),
    )
    expect(await readFile(join(folder, 'checks.yaml'), 'utf8')).toBe(`\
# Not in this file, since files declare http checks only, and never touched by it:
#   heartbeat: a heartbeat
#   tcp: a tcp
#   dns: a dns
#   smtp: a smtp
#   multistep: a multistep
version: 1
checks:
  - name: web
    url: https://web.example.com/
    intervalSeconds: 60
    regions: [iad]
    assertionJsonPath: "$[\\"é: #\\"]"
    assertionJsonOp: exists
  - name: "007"
    url: https://number.example.com/
    intervalSeconds: 300
`)
    const nothing = said(
      0,
      'Plan: 0 to create, 0 to update, 0 to replace, 0 to delete, 2 unchanged.\n\n= web\n= 007\n\nNothing to apply.\n',
    )
    expect(await run('apply', '-f', 'checks.yaml', '--dry-run')).toEqual(nothing)
    expect(await run('apply', '-f', 'checks.yaml', '--prune', '--yes', '--allow-replace')).toEqual(
      nothing,
    )
    expect((await list()).map(({ type }) => type)).toEqual(['http', 'http', ...otherTypes])
  })

  test('is JSON by extension, and goes to standard output without -f', async () => {
    await create('web')
    expect(await run('export', '-f', 'checks.json')).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(await readFile(join(folder, 'checks.json'), 'utf8'))).toEqual({
      version: 1,
      checks: [{ name: 'web', url: 'https://web.example.com/', intervalSeconds: 60 }],
    })
    expect(await run('apply', '-f', 'checks.json', '--dry-run')).toMatchObject({ exitCode: 0 })
    expect(await run('export')).toEqual(
      said(
        0,
        'version: 1\nchecks:\n  - name: web\n    url: https://web.example.com/\n    intervalSeconds: 60\n',
      ),
    )
  })

  test('of an account with a name twice names it and writes nothing', async () => {
    const [one, two] = [await create('web'), await create('web')]
    const ran = await run('export', '-f', 'checks.yaml')
    expect(ran).toEqual(
      said(
        1,
        '',
        `"web" is the name of 2 checks (http ${one.id}, http ${two.id}): a file matches checks by name, rename or delete all but one.\n`,
      ),
    )
    await expect(access(join(folder, 'checks.yaml'))).rejects.toThrow('ENOENT')
  })
})

describe('validate', () => {
  test('says what it read, and calls nothing', async () => {
    await file(check('web'), check('docs', 'regions: [iad, fra]'))
    const offline = { SERVICE_API_URL: 'http://127.0.0.1:9/v1' }
    const ran = await runService(service.bin, ['validate', '-f', join(folder, 'checks.yaml')], {
      environment: offline,
    })
    expect(ran).toEqual(said(0, `${join(folder, 'checks.yaml')} is valid: 2 checks.\n`))
    await write(
      '{"version":1,"checks":[{"name":"a","url":"https://a.example.com/"}]}',
      'checks.json',
    )
    expect(await run('validate', '-f', 'checks.json', '--json')).toEqual(
      said(0, '{\n  "version": 1,\n  "problems": [],\n  "checks": 1\n}\n'),
    )
  })

  test('lists all problems at once, with their lines', async () => {
    await file(check('web', 'intervalSeconds: soon'), check('web', 'regions: []', 'colour: red'))
    const ran = await run('validate', '-f', 'checks.yaml')
    expect(ran).toMatchObject({ exitCode: 1, out: '' })
    expect(ran.err.match(/^checks\.yaml:.*$/gm)).toMatchInlineSnapshot(`
      [
        "checks.yaml:5:22: checks[0].intervalSeconds: Invalid input: expected number, received string",
        "checks.yaml:6:11: checks[1].name: is the name of the check at line 3, column 11, too: names are unique",
        "checks.yaml:8:14: checks[1].regions: at least one region is required",
        "checks.yaml:9:5: checks[1].colour: unknown field",
      ]
    `)
    const json = JSON.parse((await run('validate', '-f', 'checks.yaml', '--json')).out)
    expect(json.problems.map(({ line, path }: { line: number; path: string }) => [line, path]))
      .toMatchInlineSnapshot(`
      [
        [
          5,
          "checks[0].intervalSeconds",
        ],
        [
          6,
          "checks[1].name",
        ],
        [
          8,
          "checks[1].regions",
        ],
        [
          9,
          "checks[1].colour",
        ],
      ]
    `)
  })

  test.each([
    ['an anchor', 'version: 1\nchecks:\n  - &a\n    name: x\n', 3],
    ['a tag', 'version: 1\nchecks:\n  - name: !str x\n', 3],
    ['a block scalar', 'version: 1\nchecks:\n  - name: |\n      x\n', 3],
    ['a flow mapping', 'version: 1\nchecks:\n  - {name: x}\n', 3],
    ['a second document', 'version: 1\nchecks: []\n---\nversion: 1\n', 3],
  ])('refuses %s with its line', async (_, text, line) => {
    await write(text)
    const ran = await run('validate', '-f', 'checks.yaml')
    expect(ran).toMatchObject({ exitCode: 1, out: '' })
    expect(ran.err).toMatch(new RegExp(`^checks\\.yaml:${line}:\\d+: `, 'm'))
  })

  test.each(['statusPages', 'components', 'notificationChannels', 'alertRules'])(
    'refuses the top-level key %s, saying that it is unsupported',
    async (key) => {
      await write(`version: 1\nchecks: []\n${key}: []\n`)
      const ran = await run('validate', '-f', 'checks.yaml')
      expect(ran).toMatchObject({ exitCode: 1, out: '' })
      expect(ran.err).toMatch(/^checks\.yaml:3:1: .*unsupported/m)
    },
  )
})

describe('apply', () => {
  test('creates and updates, the summary first, changed fields as old -> new', async () => {
    const web = await create('web', { assertionStatusMin: 200, assertionStatusMax: 299 })
    const kept = await create('kept')
    await file(check('new', 'intervalSeconds: 120'), check('web', 'regions: [fra]'), check('kept'))
    const plan = `\
Plan: 1 to create, 1 to update, 0 to replace, 0 to delete, 1 unchanged.

+ new
    url: "https://new.example.com/"
    intervalSeconds: 120
    regions: every live region
~ web
    regions: every live region -> fra
    assertionStatusMin: 200 -> unset
    assertionStatusMax: 299 -> unset

= kept
`
    expect(await run('apply', '-f', 'checks.yaml', '--dry-run')).toEqual(said(2, plan))
    expect(await names()).toEqual(['kept', 'web'])
    expect(await run('apply', '-f', 'checks.yaml')).toEqual(
      said(0, `${plan}Applied: 2 steps.\n`, '+ new: done (1 of 2)\n~ web: done (2 of 2)\n'),
    )
    expect(await list()).toMatchObject([
      { id: web.id, regions: ['fra'], assertionStatusMin: null, assertionStatusMax: null },
      { id: kept.id },
      { name: 'new', intervalSeconds: 120, allRegions: true },
    ])
    expect(await run('apply', '-f', 'checks.yaml')).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/\n\nNothing to apply\.\n$/),
    })
  })

  test('shows a dry run as JSON', async () => {
    const web = await create('web')
    await file(check('new'), check('web', 'regions: [iad]'))
    const ran = await run('apply', '-f', 'checks.yaml', '--dry-run', '--json')
    expect(ran).toMatchObject({ exitCode: 2, err: '' })
    expect(JSON.parse(ran.out)).toEqual({
      version: 1,
      summary: { create: 1, update: 1, replace: 0, delete: 0, unchanged: 0 },
      steps: [
        {
          action: 'create',
          name: 'new',
          id: null,
          changes: [],
          check: { name: 'new', url: 'https://new.example.com/' },
        },
        {
          action: 'update',
          name: 'web',
          id: web.id,
          changes: [{ field: 'regions', old: 'every live region', new: ['iad'] }],
          check: null,
        },
      ],
      unchanged: [],
      notes: [],
      needs: [],
    })
  })

  test('notes what the file lacks, and deletes it with --prune --yes only, other types never', async () => {
    await create('old')
    for (const type of otherTypes) await createTyped(type, `a ${type}`)
    await file()
    expect(await run('apply', '-f', 'checks.yaml')).toEqual(
      said(
        0,
        'Plan: 0 to create, 0 to update, 0 to replace, 0 to delete, 0 unchanged.\n\n? old: on the account, not in the file; --prune --yes deletes it\n\nNothing to apply.\n',
      ),
    )
    const plan =
      'Plan: 0 to create, 0 to update, 0 to replace, 1 to delete, 0 unchanged.\n\n- old\n    url: "https://old.example.com/"\n    its history is lost\n'
    expect(await run('apply', '-f', 'checks.yaml', '--prune')).toEqual(
      said(
        1,
        plan,
        '1 check would be deleted with their history: add --yes to --prune to accept that.\n',
      ),
    )
    expect(await names()).toContain('old')
    expect(await run('apply', '-f', 'checks.yaml', '--prune', '--yes')).toEqual(
      said(0, `${plan}Applied: 1 step.\n`, '- old: done (1 of 1)\n'),
    )
    expect((await list()).map(({ type }) => type)).toEqual(otherTypes)
  })

  test.each([
    [
      'url',
      'url: https://moved.example.com/',
      'url: "https://web.example.com/" -> "https://moved.example.com/"',
    ],
    [
      'intervalSeconds',
      'url: https://web.example.com/\n    intervalSeconds: 300',
      'intervalSeconds: 60 -> 300',
    ],
  ])('replaces a check whose %s changed with --allow-replace only', async (_, fields, change) => {
    const before = await create('web')
    await write(`version: 1\nchecks:\n  - name: web\n    ${fields}\n`)
    const refused = await run('apply', '-f', 'checks.yaml')
    expect(refused).toMatchObject({
      exitCode: 1,
      err: '1 check would be deleted and created anew, losing history and id: add --allow-replace to accept that.\n',
    })
    expect(refused.out).toContain(`! web\n    ${change}\n`)
    expect(await list()).toMatchObject([{ id: before.id }])
    expect(await run('apply', '-f', 'checks.yaml', '--allow-replace')).toMatchObject({
      exitCode: 0,
      err: '! web: done (1 of 1)\n',
    })
    const [after] = await list()
    expect(after?.id).not.toBe(before.id)
  })

  test('deletes, then replaces, then creates, then updates', async () => {
    for (const name of ['old', 'moved', 'changed']) await create(name)
    await file(
      check('changed', 'regions: [iad]'),
      check('new'),
      check('moved', 'intervalSeconds: 300'),
    )
    const ran = await run('apply', '-f', 'checks.yaml', '--prune', '--yes', '--allow-replace')
    expect(ran.err).toBe(
      '- old: done (1 of 4)\n! moved: done (2 of 4)\n+ new: done (3 of 4)\n~ changed: done (4 of 4)\n',
    )
  })

  test('stops at the first refusal, as the API says it, and skips the rest', async () => {
    await create('changed')
    await write(
      'version: 1\nchecks:\n  - name: inside\n    url: http://169.254.169.254/\n  - name: late\n    url: https://late.example.com/\n',
    )
    const ran = await run('apply', '-f', 'checks.yaml')
    expect(ran.exitCode).toBe(1)
    expect(ran.err).toMatchInlineSnapshot(`
      "+ inside: refused (1 of 2)
      Stopped: 0 of 2 steps applied.

      SV-5001: Unsafe target (address): the address is not public: private, local and reserved ranges are refused.
        url the address is not public: private, local and reserved ranges are refused

      + inside: refused
      + late: skipped
      "
    `)
    expect(await names()).toEqual(['changed'])
  })

  test('sends nothing of a file that is not whole', async () => {
    await file(check('web'), check('docs', 'regions: [nowhere]'))
    expect(await run('apply', '-f', 'checks.yaml')).toMatchObject({ exitCode: 1, out: '' })
    expect(await list()).toEqual([])
  })

  test('cannot match a name of another type, or of two checks', async () => {
    const heartbeat = await createTyped('heartbeat', 'nightly')
    const [one, two] = [await create('web'), await create('web')]
    await file(check('nightly'), check('web'))
    expect(await run('apply', '-f', 'checks.yaml', '--dry-run')).toEqual(
      said(
        1,
        '',
        `\
This file cannot be applied to the account:
  nightly: a heartbeat check of the account has this name (${heartbeat.id}), and only http checks are managed: use another name
  web: the account has 2 http checks of this name (${one.id}, ${two.id}): delete or rename all but one
`,
      ),
    )
  })
})

describe('the key', () => {
  const keyless = (args: string[], input = '') =>
    runService(service.bin, args, { cwd: folder, input, environment: { SERVICE_API_URL: apiUrl } })

  test('is taken from the environment, the option, or standard input', async () => {
    const empty = said(0, 'version: 1\nchecks: []\n')
    expect(await run('export')).toEqual(empty)
    expect(await keyless(['export', '--api-key', account.writeKey])).toEqual(empty)
    expect(await keyless(['export', '--api-key', '-'], `${account.writeKey}\n`)).toEqual(empty)
    expect(await keyless(['export'])).toEqual(
      said(
        1,
        '',
        'There is no API key.\nSet SERVICE_API_KEY, or pipe the key in with --api-key -.\n',
      ),
    )
  })

  test('must be read_write to apply: a plan is shown, its first write is refused', async () => {
    await file(check('web'))
    account = { ...account, writeKey: account.readKey }
    expect(await run('apply', '-f', 'checks.yaml', '--dry-run')).toMatchObject({ exitCode: 2 })
    const ran = await run('apply', '-f', 'checks.yaml')
    expect(ran.exitCode).toBe(1)
    expect(ran.err).toContain(
      '\nSV-1004: This key may only read. Use a read_write key to change anything.\n',
    )
  })

  test('of a free account is refused before anything', async () => {
    account = await at.account('free')
    await file(check('web'))
    const ran = await run('apply', '-f', 'checks.yaml')
    expect(ran).toMatchObject({ exitCode: 1, out: '' })
    expect(ran.err).toMatch(/^SV-1003: /)
  })
})

test('all of it runs on Node 22.0', async () => {
  const node = await installOldestNode()
  const environment = { SERVICE_API_URL: apiUrl, SERVICE_API_KEY: account.writeKey }
  const old = (...args: string[]) =>
    runService(service.bin, args, { cwd: folder, node, environment })
  await file(check('web'))
  expect(await old('--version')).toEqual(said(0, '0.1.0\n'))
  expect(await old('validate', '-f', 'checks.yaml')).toMatchObject({ exitCode: 0, err: '' })
  expect(await old('apply', '-f', 'checks.yaml')).toMatchObject({
    exitCode: 0,
    err: '+ web: done (1 of 1)\n',
  })
  expect(await old('export', '-f', 'back.json')).toMatchObject({ exitCode: 0, err: '' })
}, 180_000)
