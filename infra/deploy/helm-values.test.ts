import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { everything, plain, readChart, values, type Values } from './testing/chart.ts'
import { programs } from './testing/programs.ts'

/** values.schema.json, which Helm applies before it renders. */
const schema = JSON.parse(readChart('values.schema.json'))
const isValid = new Ajv({ allErrors: true, strict: true, strictRequired: false, strictTypes: false }).compile(
  schema,
)
const problemsOf = (given: Values): string[] => {
  isValid(given)
  return (isValid.errors ?? []).map(({ instancePath }) => instancePath)
}

test('accepts the default values, every option at once, and a chart among others', () => {
  expect(problemsOf(values)).toEqual([])
  expect(problemsOf(everything())).toEqual([])
  expect(problemsOf(plain((given) => (given['global'] = { any: 1 })))).toEqual([])
})

type Known = { description?: string; $ref?: string; properties?: Record<string, Known> }
test('describes each value, and has each of the default values', () => {
  const missing = (at: string, known: Known, given: unknown): string[] => {
    const { description } = known.$ref === undefined ? known : schema.definitions[known.$ref.slice(14)]
    const own = description === undefined ? [at] : []
    const inner = Object.entries(known.properties ?? {}).flatMap(([name, one]) =>
      missing(`${at}/${name}`, one, Object(given)[name]),
    )
    const undefaulted =
      given === undefined && !/^\/(?:global|image\/digests\/.*)$/.test(at) ? [`${at} has no default`] : []
    return [...own, ...undefaulted, ...inner]
  }
  expect(missing('', { ...schema, description: 'the chart' }, values)).toEqual([])
})

const digest = `sha256:${'a'.repeat(64)}`
test.each<[string, (given: Values) => unknown]>([
  ['a registry with a port', (given) => (given['image'].registry = 'localhost:5000')],
  [
    'a registry with a path',
    (given) => (given['image'].registry = '1.dkr.ecr.eu-west-1.amazonaws.com/team/mesh'),
  ],
  ['a registry in the cluster', (given) => (given['image'].registry = 'registry:5000')],
  ['a tag with a digest', (given) => (given['image'].tag = `1.0.0-rc.1@${digest}`)],
  ['a digest of one image', (given) => (given['image'].digests['agent-browser'] = digest)],
  ['IPv6', (given) => (given['listen'] = '::')],
  ['a file for a secret', (given) => (given['gateway'].environment = { SMTP_URL_FILE: '/run/secrets/smtp' })],
])('accepts %s', (_, change) => {
  expect(problemsOf(plain(change))).toEqual([])
})

test.each<[string, string, (given: Values) => unknown]>([
  ['an unknown value', '', (given) => (given['colour'] = 'red')],
  ['an unknown value of a part', '/agents', (given) => (given['agents'].replica = 3)],
  ['a page without TLS', '/publicUrl', (given) => (given['publicUrl'] = 'http://status.example.com')],
  ['NATS without TLS', '/nats/urls/0', (given) => (given['nats'].urls = ['nats://nats:4222'])],
  ['two replicas of a message', '/nats/replicas', (given) => (given['nats'].replicas = 2)],
  ['a region of two letters', '/regions/0', (given) => (given['regions'] = ['fr'])],
  ['an image of no version', '/image/tag', (given) => (given['image'].tag = 'latest')],
  ['a name on Docker Hub', '/image/registry', (given) => (given['image'].registry = 'probe-mesh')],
  [
    'a registry with a slash at its end',
    '/image/registry',
    (given) => (given['image'].registry = 'r.example.com/'),
  ],
  ['a short digest', '/image/digests/agent', (given) => (given['image'].digests = { agent: 'sha256:ab' })],
  ['a digest of no image', '/image/digests', (given) => (given['image'].digests = { web: digest })],
  [
    'no memory limit',
    '/gateway/resources/limits',
    (given) => delete given['gateway'].resources.limits.memory,
  ],
  ['a number as a variable', '/gateway/environment/A', (given) => (given['gateway'].environment = { A: 1 })],
  ['every proxy trusted', '/controlPlane/trustProxy', (given) => (given['controlPlane'].trustProxy = true)],
  ['no control planes', '/controlPlane/replicas', (given) => (given['controlPlane'].replicas = 0)],
  ['another port', '/agents/environment', (given) => (given['agents'].environment = { PORT: '1' })],
  [
    'a secret in clear as a variable',
    '/agents/extraEnv/0',
    (given) => (given['agents'].extraEnv = [{ name: 'REGION_KEY', value: 'x' }]),
  ],
  [
    'an unknown effect',
    '/agents/tolerations/0/effect',
    (given) => (given['agents'].tolerations = [{ effect: 'None' }]),
  ],
  ['a selector of numbers', '/gateway/nodeSelector/a', (given) => (given['gateway'].nodeSelector = { a: 1 })],
  [
    'a volume of ours',
    '/gateway/extraVolumes/0/name',
    (given) => (given['gateway'].extraVolumes = [{ name: 'tls', emptyDir: {} }]),
  ],
  ['an interval without a unit', '/monitoring/interval', (given) => (given['monitoring'].interval = '15')],
  [
    'metrics for everybody',
    '/networkPolicy/metricsFrom/0',
    (given) => (given['networkPolicy'].metricsFrom = [{}]),
  ],
])('refuses %s', (_, at, change) => {
  expect(problemsOf(plain(change))).toContain(at)
})

test('refuses the text of every secret of a program', () => {
  const secrets = Object.values(programs).flatMap((program) => [...program.secrets])
  expect(secrets).toContain('METRICS_TOKEN')
  for (const name of secrets) {
    // a proxy may be without a password
    const value = name.endsWith('_PROXY') ? 'http://user:password@proxy' : 'x'
    const given = plain((to) => (to['gateway'].environment = { [name]: value }))
    expect([name, problemsOf(given)]).not.toEqual([name, []])
  }
  const proxied = plain((to) => (to['gateway'].environment = { HTTPS_PROXY: 'http://proxy:3128' }))
  expect(problemsOf(proxied)).toEqual([])
})

test('reports every problem at once', () => {
  const given = plain((to) => {
    to['image'].tag = 'latest'
    to['agents'].replicas = 0
    to['colour'] = 'red'
    to['listen'] = 'everywhere'
  })
  expect(problemsOf(given).toSorted()).toEqual(['', '/agents/replicas', '/image/tag', '/listen'])
})
