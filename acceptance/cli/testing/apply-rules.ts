import { expect, test } from 'vitest'
import { ended } from './run-service.ts'
import { fileCheck as check, otherTypes, type Workplace } from './workplace.ts'

/** Tests `apply` and its plans (S-2611 to S-2617). */
export const applyRules = (own: () => Workplace): void => {
  test('creates and updates after a summary with changed fields as old -> new', async () => {
    const web = await own().create('web', { assertionStatusMin: 200, assertionStatusMax: 299 })
    const kept = await own().create('kept')
    await own().file(check('new', 'intervalSeconds: 120'), check('web', 'regions: [fra]'), check('kept'))
    const plan = `\
Changes: 1 to create, 1 to update, 0 to replace, 0 to delete, 1 unchanged.

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
    expect(await own().run('apply', '-f', 'checks.yaml', '--dry-run')).toEqual(ended(2, plan))
    expect(await own().names()).toEqual(['kept', 'web'])
    expect(await own().run('apply', '-f', 'checks.yaml')).toEqual(
      ended(0, `${plan}Applied: 2 steps.\n`, '+ new: done (1 of 2)\n~ web: done (2 of 2)\n'),
    )
    expect(await own().list()).toMatchObject([
      { id: web.id, regions: ['fra'], assertionStatusMin: null, assertionStatusMax: null },
      { id: kept.id },
      { name: 'new', intervalSeconds: 120, allRegions: true },
    ])
    expect(await own().run('apply', '-f', 'checks.yaml')).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/\n\nNothing to apply\.\n$/),
    })
  })

  test('shows a dry run as JSON', async () => {
    const web = await own().create('web')
    await own().file(check('new'), check('web', 'regions: [iad]'))
    const ran = await own().run('apply', '-f', 'checks.yaml', '--dry-run', '--json')
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

  test('notes checks that are not in the file, and deletes them only with --prune --yes, other types never', async () => {
    await own().create('old')
    for (const type of otherTypes) await own().createTyped(type, `a ${type}`)
    await own().file()
    expect(await own().run('apply', '-f', 'checks.yaml')).toEqual(
      ended(
        0,
        'Changes: 0 to create, 0 to update, 0 to replace, 0 to delete, 0 unchanged.\n\n? old: on the account, not in the file; --prune --yes deletes it\n\nNothing to apply.\n',
      ),
    )
    const plan =
      'Changes: 0 to create, 0 to update, 0 to replace, 1 to delete, 0 unchanged.\n\n- old\n    url: "https://old.example.com/"\n    its history is lost\n'
    expect(await own().run('apply', '-f', 'checks.yaml', '--prune')).toEqual(
      ended(1, plan, '1 check would be deleted with their history: add --yes to --prune to accept that.\n'),
    )
    expect(await own().names()).toContain('old')
    expect(await own().run('apply', '-f', 'checks.yaml', '--prune', '--yes')).toEqual(
      ended(0, `${plan}Applied: 1 step.\n`, '- old: done (1 of 1)\n'),
    )
    expect((await own().list()).map(({ type }) => type)).toEqual(otherTypes)
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
  ])('replaces a check with a changed %s only with --allow-replace', async (_, fields, change) => {
    const before = await own().create('web')
    await own().write(`version: 1\nchecks:\n  - name: web\n    ${fields}\n`)
    const refused = await own().run('apply', '-f', 'checks.yaml')
    expect(refused).toMatchObject({
      exitCode: 1,
      err: '1 check would be replaced, losing history and id: add --allow-replace to accept that.\n',
    })
    expect(refused.out).toContain(`! web\n    ${change}\n`)
    expect(await own().list()).toMatchObject([{ id: before.id }])
    expect(await own().run('apply', '-f', 'checks.yaml', '--allow-replace')).toMatchObject({
      exitCode: 0,
      err: '! web: done (1 of 1)\n',
    })
    const [after] = await own().list()
    expect(after?.id).not.toBe(before.id)
  })

  test('deletes, then replaces, then creates, then updates', async () => {
    for (const name of ['old', 'moved', 'changed']) await own().create(name)
    await own().file(check('changed', 'regions: [iad]'), check('new'), check('moved', 'intervalSeconds: 300'))
    const ran = await own().run('apply', '-f', 'checks.yaml', '--prune', '--yes', '--allow-replace')
    expect(ran.err).toBe(
      '- old: done (1 of 4)\n! moved: done (2 of 4)\n+ new: done (3 of 4)\n~ changed: done (4 of 4)\n',
    )
  })

  test('sends nothing when the API would refuse any of it, and shows all of it at its lines', async () => {
    const changed = await own().create('changed')
    await own().write(
      'version: 1\nchecks:\n  - name: inside\n    url: http://169.254.169.254/\n  - name: late\n    url: https://late.example.com/\n  - name: changed\n    url: https://changed.example.com/\n    intervalSeconds: 30\n',
    )
    for (const flags of [['--dry-run'], ['--allow-replace'], []]) {
      const ran = await own().run('apply', '-f', 'checks.yaml', ...flags)
      expect(ran).toMatchObject({ exitCode: 1, out: '' })
      expect(ran.err).toMatchInlineSnapshot(`
        "checks.yaml:4:10: checks[0].url: SV-5001: the address is not public: private, local and reserved ranges are refused
          3 |   - name: inside
        > 4 |     url: http://169.254.169.254/
            |          ^

        checks.yaml:9:22: checks[2].intervalSeconds: SV-4002: "intervalSeconds" is 30 s; the growth plan allows 60 s or more.
          8 |     url: https://changed.example.com/
        > 9 |     intervalSeconds: 30
            |                      ^

        2 problems; nothing was sent.
        "
      `)
    }
    expect(await own().list()).toMatchObject([{ id: changed.id, intervalSeconds: 60 }])
  })

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s in the wait for the rate limit ends it with a report',
    async (signal) => {
      const { writeKey: apiKey } = own().account
      await own().file(check('one'), check('two'))
      // 29 of 30 writes: the second create waits
      for (let n = 0; n < 29; n++) await own().refusedWrite()
      const signalAt = { text: 'waiting', signal }
      const ran = await own().runWith({ apiKey, signalAt }, 'apply', '-f', 'checks.yaml')
      expect(ran.exitCode).toBe(1)
      expect(ran.out).toMatch(/^2 writes at 30 a minute: about \d+ \w+\.$/m)
      expect(ran.err).toMatch(
        /^\+ one: done \(1 of 2, about \d+ \w+ left\)\nThe write rate limit is reached: waiting \d+ s\.\n/,
      )
      expect(ran.err).toContain('Stopped: 1 of 2 steps applied.\n\nInterrupted: ')
      expect(ran.err.endsWith('\n+ two: skipped\n')).toBe(true)
      expect(await own().names()).toEqual(['one'])
    },
  )

  test('sends nothing of an invalid file', async () => {
    await own().file(check('web'), check('docs', 'regions: [nowhere]'))
    expect(await own().run('apply', '-f', 'checks.yaml')).toMatchObject({ exitCode: 1, out: '' })
    expect(await own().list()).toEqual([])
  })

  test('cannot match a name of another type, or of two checks', async () => {
    const heartbeat = await own().createTyped('heartbeat', 'nightly')
    const [one, two] = [await own().create('web'), await own().create('web')]
    await own().file(check('nightly'), check('web'))
    expect(await own().run('apply', '-f', 'checks.yaml', '--dry-run')).toEqual(
      ended(
        1,
        '',
        `\
This file cannot be applied to the account:
  nightly: a heartbeat check of the account also has this name (${heartbeat.id}), and a file manages http checks only: use another name
  web: the account has 2 http checks with this name (${one.id}, ${two.id}): delete or rename all but one
`,
      ),
    )
  })
}
