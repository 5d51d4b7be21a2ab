import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startTestApp } from '@probe-mesh/control-plane/http/testing'
import type { TestApp } from '@probe-mesh/control-plane/http/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { installOldestNode, installPackage } from './install-package.ts'
import type { InstalledPackage } from './install-package.ts'
import { runService } from './run-service.ts'
import type { Ran } from './run-service.ts'
import { fileCheck as check, openWorkplace } from './workplace.ts'
import type { Workplace } from './workplace.ts'

/** The specification's command-line section, rule by rule, by the installed package and a control plane. */

let service: InstalledPackage
let at: TestApp
let apiUrl: string
let own: Workplace

beforeAll(async () => {
  ;[service, at] = await Promise.all([installPackage(), startTestApp()])
  apiUrl = `${await at.app.listen({ host: '127.0.0.1', port: 0 })}/v1`
}, 180_000)
afterAll(async () => {
  await Promise.all([service?.close(), at?.close()])
})
beforeEach(async () => {
  own = await openWorkplace({ bin: service.bin, at, apiUrl }, await at.account('growth'))
  return () => own.close()
})

const otherTypes = ['heartbeat', 'tcp', 'dns', 'smtp', 'multistep'] as const
const said = (exitCode: number, out: string, err = ''): Ran => ({ exitCode, out, err })

test('it is one package, without others', () => {
  expect(service.others).toEqual([])
})

describe('export', () => {
  test('writes the http checks, names the others in a comment, and plans nothing when applied back', async () => {
    await own.create('web', {
      regions: ['iad'],
      assertionJsonPath: '$["é: #"]',
      assertionJsonOp: 'exists',
    })
    await own.create('number', { name: '007', intervalSeconds: 300 })
    for (const type of otherTypes) await own.createTyped(type, `a ${type}`)
    expect(await own.run('export', '-f', 'checks.yaml')).toEqual(
      said(0, 'Wrote 2 checks to checks.yaml.\n'),
    )
    expect(await readFile(join(own.folder, 'checks.yaml'), 'utf8')).toBe(`\
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
    expect(await own.run('apply', '-f', 'checks.yaml', '--dry-run')).toEqual(nothing)
    expect(
      await own.run('apply', '-f', 'checks.yaml', '--prune', '--yes', '--allow-replace'),
    ).toEqual(nothing)
    expect((await own.list()).map(({ type }) => type)).toEqual(['http', 'http', ...otherTypes])
  })

  test('is JSON by extension, and goes to standard output without -f', async () => {
    await own.create('web')
    expect(await own.run('export', '-f', 'checks.json')).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(await readFile(join(own.folder, 'checks.json'), 'utf8'))).toEqual({
      version: 1,
      checks: [{ name: 'web', url: 'https://web.example.com/', intervalSeconds: 60 }],
    })
    expect(await own.run('apply', '-f', 'checks.json', '--dry-run')).toMatchObject({ exitCode: 0 })
    expect(await own.run('export')).toEqual(
      said(
        0,
        'version: 1\nchecks:\n  - name: web\n    url: https://web.example.com/\n    intervalSeconds: 60\n',
      ),
    )
  })

  test('of an account with a name twice names it and writes nothing', async () => {
    const [one, two] = [await own.create('web'), await own.create('web')]
    const ran = await own.run('export', '-f', 'checks.yaml')
    expect(ran).toEqual(
      said(
        1,
        '',
        `"web" is the name of 2 checks (http ${one.id}, http ${two.id}): a file matches checks by name, rename or delete all but one.\n`,
      ),
    )
    await expect(access(join(own.folder, 'checks.yaml'))).rejects.toThrow('ENOENT')
  })
})

describe('validate', () => {
  test('says what it read, and calls nothing', async () => {
    await own.file(check('web'), check('docs', 'regions: [iad, fra]'))
    const offline = { SERVICE_API_URL: 'http://127.0.0.1:9/v1' }
    const ran = await runService(service.bin, ['validate', '-f', join(own.folder, 'checks.yaml')], {
      environment: offline,
    })
    expect(ran).toEqual(said(0, `${join(own.folder, 'checks.yaml')} is valid: 2 checks.\n`))
    await own.write(
      '{"version":1,"checks":[{"name":"a","url":"https://a.example.com/"}]}',
      'checks.json',
    )
    expect(await own.run('validate', '-f', 'checks.json', '--json')).toEqual(
      said(0, '{\n  "version": 1,\n  "problems": [],\n  "checks": 1\n}\n'),
    )
  })

  test('lists all problems at once, with their lines', async () => {
    await own.file(
      check('web', 'intervalSeconds: soon'),
      check('web', 'regions: []', 'colour: red'),
    )
    const ran = await own.run('validate', '-f', 'checks.yaml')
    expect(ran).toMatchObject({ exitCode: 1, out: '' })
    expect(ran.err.match(/^checks\.yaml:.*$/gm)).toMatchInlineSnapshot(`
      [
        "checks.yaml:5:22: checks[0].intervalSeconds: Invalid input: expected number, received string",
        "checks.yaml:6:11: checks[1].name: is the name of the check at line 3, column 11, too: names are unique",
        "checks.yaml:8:14: checks[1].regions: at least one region is required",
        "checks.yaml:9:5: checks[1].colour: unknown field",
      ]
    `)
    const json = JSON.parse((await own.run('validate', '-f', 'checks.yaml', '--json')).out)
    expect(json.problems.map(({ line }: { line: number }) => line)).toEqual([5, 6, 8, 9])
  })

  test.each([
    ['an anchor', 'version: 1\nchecks:\n  - &a\n    name: x\n', 3],
    ['a tag', 'version: 1\nchecks:\n  - name: !str x\n', 3],
    ['a block scalar', 'version: 1\nchecks:\n  - name: |\n      x\n', 3],
    ['a flow mapping', 'version: 1\nchecks:\n  - {name: x}\n', 3],
    ['a second document', 'version: 1\nchecks: []\n---\nversion: 1\n', 3],
  ])('refuses %s with its line', async (_, text, line) => {
    await own.write(text)
    const ran = await own.run('validate', '-f', 'checks.yaml')
    expect(ran).toMatchObject({ exitCode: 1, out: '' })
    expect(ran.err).toMatch(new RegExp(`^checks\\.yaml:${line}:\\d+: `, 'm'))
  })

  test.each(['statusPages', 'components', 'notificationChannels', 'alertRules'])(
    'refuses the top-level key %s, saying that it is unsupported',
    async (key) => {
      await own.write(`version: 1\nchecks: []\n${key}: []\n`)
      const ran = await own.run('validate', '-f', 'checks.yaml')
      expect(ran).toMatchObject({ exitCode: 1, out: '' })
      expect(ran.err).toMatch(/^checks\.yaml:3:1: .*unsupported/m)
    },
  )
})

describe('apply', () => {
  test('creates and updates, the summary first, changed fields as old -> new', async () => {
    const web = await own.create('web', { assertionStatusMin: 200, assertionStatusMax: 299 })
    const kept = await own.create('kept')
    await own.file(
      check('new', 'intervalSeconds: 120'),
      check('web', 'regions: [fra]'),
      check('kept'),
    )
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
    expect(await own.run('apply', '-f', 'checks.yaml', '--dry-run')).toEqual(said(2, plan))
    expect(await own.names()).toEqual(['kept', 'web'])
    expect(await own.run('apply', '-f', 'checks.yaml')).toEqual(
      said(0, `${plan}Applied: 2 steps.\n`, '+ new: done (1 of 2)\n~ web: done (2 of 2)\n'),
    )
    expect(await own.list()).toMatchObject([
      { id: web.id, regions: ['fra'], assertionStatusMin: null, assertionStatusMax: null },
      { id: kept.id },
      { name: 'new', intervalSeconds: 120, allRegions: true },
    ])
    expect(await own.run('apply', '-f', 'checks.yaml')).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/\n\nNothing to apply\.\n$/),
    })
  })

  test('shows a dry run as JSON', async () => {
    const web = await own.create('web')
    await own.file(check('new'), check('web', 'regions: [iad]'))
    const ran = await own.run('apply', '-f', 'checks.yaml', '--dry-run', '--json')
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
    await own.create('old')
    for (const type of otherTypes) await own.createTyped(type, `a ${type}`)
    await own.file()
    expect(await own.run('apply', '-f', 'checks.yaml')).toEqual(
      said(
        0,
        'Plan: 0 to create, 0 to update, 0 to replace, 0 to delete, 0 unchanged.\n\n? old: on the account, not in the file; --prune --yes deletes it\n\nNothing to apply.\n',
      ),
    )
    const plan =
      'Plan: 0 to create, 0 to update, 0 to replace, 1 to delete, 0 unchanged.\n\n- old\n    url: "https://old.example.com/"\n    its history is lost\n'
    expect(await own.run('apply', '-f', 'checks.yaml', '--prune')).toEqual(
      said(
        1,
        plan,
        '1 check would be deleted with their history: add --yes to --prune to accept that.\n',
      ),
    )
    expect(await own.names()).toContain('old')
    expect(await own.run('apply', '-f', 'checks.yaml', '--prune', '--yes')).toEqual(
      said(0, `${plan}Applied: 1 step.\n`, '- old: done (1 of 1)\n'),
    )
    expect((await own.list()).map(({ type }) => type)).toEqual(otherTypes)
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
    const before = await own.create('web')
    await own.write(`version: 1\nchecks:\n  - name: web\n    ${fields}\n`)
    const refused = await own.run('apply', '-f', 'checks.yaml')
    expect(refused).toMatchObject({
      exitCode: 1,
      err: '1 check would be deleted and created anew, losing history and id: add --allow-replace to accept that.\n',
    })
    expect(refused.out).toContain(`! web\n    ${change}\n`)
    expect(await own.list()).toMatchObject([{ id: before.id }])
    expect(await own.run('apply', '-f', 'checks.yaml', '--allow-replace')).toMatchObject({
      exitCode: 0,
      err: '! web: done (1 of 1)\n',
    })
    const [after] = await own.list()
    expect(after?.id).not.toBe(before.id)
  })

  test('deletes, then replaces, then creates, then updates', async () => {
    for (const name of ['old', 'moved', 'changed']) await own.create(name)
    await own.file(
      check('changed', 'regions: [iad]'),
      check('new'),
      check('moved', 'intervalSeconds: 300'),
    )
    const ran = await own.run('apply', '-f', 'checks.yaml', '--prune', '--yes', '--allow-replace')
    expect(ran.err).toBe(
      '- old: done (1 of 4)\n! moved: done (2 of 4)\n+ new: done (3 of 4)\n~ changed: done (4 of 4)\n',
    )
  })

  test('stops at the first refusal, as the API says it, and skips the rest', async () => {
    await own.create('changed')
    await own.write(
      'version: 1\nchecks:\n  - name: inside\n    url: http://169.254.169.254/\n  - name: late\n    url: https://late.example.com/\n',
    )
    const ran = await own.run('apply', '-f', 'checks.yaml')
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
    expect(await own.names()).toEqual(['changed'])
  })

  test('sends nothing of a file that is not whole', async () => {
    await own.file(check('web'), check('docs', 'regions: [nowhere]'))
    expect(await own.run('apply', '-f', 'checks.yaml')).toMatchObject({ exitCode: 1, out: '' })
    expect(await own.list()).toEqual([])
  })

  test('cannot match a name of another type, or of two checks', async () => {
    const heartbeat = await own.createTyped('heartbeat', 'nightly')
    const [one, two] = [await own.create('web'), await own.create('web')]
    await own.file(check('nightly'), check('web'))
    expect(await own.run('apply', '-f', 'checks.yaml', '--dry-run')).toEqual(
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
  test('is taken from the environment, the option, or standard input', async () => {
    const empty = said(0, 'version: 1\nchecks: []\n')
    const { writeKey } = own.account
    expect(await own.run('export')).toEqual(empty)
    expect(await own.runWith({}, 'export', '--api-key', writeKey)).toEqual(empty)
    const piped = { input: `${writeKey}\n` }
    expect(await own.runWith(piped, 'export', '--api-key', '-')).toEqual(empty)
    const told = 'There is no API key.\nSet SERVICE_API_KEY, or pipe the key in with --api-key -.\n'
    expect(await own.runWith({}, 'export')).toEqual(said(1, '', told))
  })

  test('must be read_write to apply: a plan is shown, its first write is refused', async () => {
    await own.file(check('web'))
    const apply = (...more: string[]) =>
      own.runWith({ apiKey: own.account.readKey }, 'apply', '-f', 'checks.yaml', ...more)
    expect(await apply('--dry-run')).toMatchObject({ exitCode: 2 })
    const ran = await apply()
    expect(ran.exitCode).toBe(1)
    expect(ran.err).toContain(
      '\nSV-1004: This key may only read. Use a read_write key to change anything.\n',
    )
  })

  test('of a free account is refused before anything', async () => {
    const { readKey } = await at.account('free')
    await own.file(check('web'))
    const ran = await own.runWith({ apiKey: readKey }, 'apply', '-f', 'checks.yaml')
    expect(ran).toMatchObject({ exitCode: 1, out: '' })
    expect(ran.err).toMatch(/^SV-1003: /)
  })
})

test('it runs on Node 22.0', async () => {
  const how = { apiKey: own.account.writeKey, node: await installOldestNode() }
  const old = (...args: string[]) => own.runWith(how, ...args)
  await own.file(check('web'))
  expect(await old('--version')).toEqual(said(0, '0.1.0\n'))
  expect(await old('validate', '-f', 'checks.yaml')).toMatchObject({ exitCode: 0, err: '' })
  const applied = { exitCode: 0, err: '+ web: done (1 of 1)\n' }
  expect(await old('apply', '-f', 'checks.yaml')).toMatchObject(applied)
  expect(await old('export', '-f', 'back.json')).toMatchObject({ exitCode: 0, err: '' })
}, 180_000)
