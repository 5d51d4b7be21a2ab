import { cp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatApiKey } from '@probe-mesh/contracts/account/key-text'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { processesOf } from './testing/processes-of.ts'
import { buildProvider, type BuiltProvider } from './testing/run-terraform.ts'
import { expectOk, flat, head, openStage, startPlane, type Plane, type Stage } from './testing/stage.ts'

/** The built executable, started by the real Terraform: permissions of keys, and its schema. */

const patience = { timeout: 120_000 }
let plane: Plane
let built: BuiltProvider
beforeAll(async () => {
  ;[built, plane] = await Promise.all([buildProvider(), startPlane()])
}, 120_000)
afterAll(async () => {
  await Promise.all([plane?.at.close(), built?.close()])
})

const withStage = async (
  how: Parameters<typeof openStage>[1],
  act: (own: Stage) => Promise<void>,
): Promise<void> => {
  const own = await openStage(plane, { providerFolder: built.folder, ...how })
  try {
    await act(own)
  } finally {
    await own.close()
  }
}
const web = `resource "service_check" "web" {
  name = "web"
  url = "https://web.example.com/"
}
`

test('validates, returns its schema, applies, and leaves no process', patience, () =>
  withStage({}, async (own) => {
    await own.plan(web)
    expectOk(await own.terraform('validate'))
    const schema = await own.terraform('providers', 'schema', '-json')
    const [provider] = Object.values(JSON.parse(schema.out).provider_schemas) as {
      resource_schemas: object
      data_source_schemas: object
    }[]
    expect(Object.keys(provider?.resource_schemas ?? {}).toSorted()).toEqual([
      'service_check',
      'service_notification_channel',
      'service_status_page',
      'service_status_page_component',
    ])
    expect(Object.keys(provider?.data_source_schemas ?? {})).toEqual(['service_status_page'])
    const applying = own.start('apply', '-auto-approve')
    expectOk(await applying.ended)
    expect(await processesOf(built.folder)).toEqual([])
    await own.expectNothingToDo()
  }),
)

test('plans with a read-only key, which is refused for an apply', patience, () =>
  withStage({ apiKey: ({ readKey }) => readKey }, async (own) => {
    expectOk(await own.plan(web))
    const ran = await own.apply(web)
    expect(ran.exitCode).toBe(1)
    expect(flat(ran)).toContain('SV-1004')
    expect(flat(ran)).toContain('service_check.web')
    expect(await own.checks()).toEqual([])
  }),
)

test.each([
  ['none', '', 'api_key'],
  ['truncated', 'sv_rw_short', 'SERVICE_API_KEY'],
])('reports a key that is %s before any request', patience, (_, key, message) =>
  withStage({ apiKey: () => key }, async (own) => {
    const ran = await own.plan(web)
    expect(ran.exitCode).toBe(1)
    expect(flat(ran)).toContain(message)
    expect(flat(ran)).not.toContain('sv_rw_short')
  }),
)

test('reports a dead server or a revoked key once, at the provider', patience, () =>
  withStage({}, async (own) => {
    const many = `resource "service_check" "many" {
  count = 5
  name = "check \${count.index}"
  url = "https://example.com/\${count.index}"
}
`
    expectOk(await own.apply(many))
    const dead = `provider "service" {\n  base_url = "http://127.0.0.1:9/v1"\n}\n`
    const unknown = `provider "service" {\n  api_key = "${formatApiKey('read_write', new Uint8Array(32))}"\n}\n`
    for (const [provider, message] of [
      [dead, 'The API does not answer'],
      [unknown, 'The API refuses the key (SV-1002)'],
    ] as const) {
      await own.write(head.replace('provider "service" {}\n', provider) + many)
      const ran = await own.terraform('plan')
      expect(ran.exitCode).toBe(1)
      expect(flat(ran).match(/Error: /g)).toHaveLength(1)
      expect(flat(ran)).toContain(`Error: ${message}`)
      expect(flat(ran)).toMatch(/on main\.tf line \d+, in provider "service"/)
    }
  }),
)

test('reads a state of version 0 and plans no change', patience, () =>
  withStage({}, async (own) => {
    expectOk(await own.apply(web))
    const file = join(own.folder, 'terraform.tfstate')
    const state = JSON.parse(await readFile(file, 'utf8'))
    const [{ instances }] = state.resources
    instances[0].schema_version = 0
    instances[0].attributes = { ...instances[0].attributes, gone: 'since then' }
    delete instances[0].attributes.type
    await writeFile(file, JSON.stringify({ ...state, serial: state.serial + 1 }))
    await own.expectNothingToDo()
  }),
)

test('keeps its compiled files in the cache of the user, and plans where it cannot', patience, () =>
  withStage({}, async (own) => {
    const cache = join(own.folder, '../.cache')
    await writeFile(cache, 'not a folder')
    expectOk(await own.plan(web))
    await rm(cache)
    expectOk(await own.plan(web))
    const [version = ''] = await readdir(join(cache, 'terraform-provider-service'))
    const kept = await readdir(join(cache, 'terraform-provider-service', version))
    expect(kept.length).toBeGreaterThan(1)
  }),
)

test('has valid and formatted examples', patience, () =>
  withStage({}, async (own) => {
    const examples = fileURLToPath(new URL('../../terraform/examples/', import.meta.url))
    const names = await readdir(examples)
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) {
      await cp(join(examples, name), own.folder, { recursive: true })
      expectOk(await own.terraform('validate'))
      expectOk(await own.terraform('fmt', '-check'))
    }
  }),
)
