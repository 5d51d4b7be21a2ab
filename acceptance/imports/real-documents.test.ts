import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { requestOfStep, toStep } from '@probe-mesh/contracts/check/step'
import { readText, type ReadAnswer } from '@probe-mesh/control-plane/src/imports/read-text'
import {
  differencesOf,
  recordedWire,
  sendByProbe,
  silentOf,
  startRecorder,
} from '@probe-mesh/control-plane/src/imports/testing/wire'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { operationsOf, plainExample, templateOf, type Node } from './expected-operations.ts'
import { installPackages } from './packages.ts'

/**
 * Documents and recordings of others: each thing of the input is taken, noted or refused by name. What the probe sends is
 * compared with what the recording has, what the real curl sends, and what RFC 6570 makes of a parameter.
 */

const run = promisify(execFile)
const packages = useOnce(() => installPackages(), 300_000)
const recorder = useOnce(() => startRecorder())

type Figures = { taken: number; noted: number; refused: number; silent: string[] }
const figures: Record<string, Figures> = {}
const count = (kind: string): Figures => (figures[kind] ??= { taken: 0, noted: 0, refused: 0, silent: [] })

afterAll(() => {
  for (const [kind, { taken, noted, refused, silent }] of Object.entries(figures)) {
    process.stdout.write(
      `imports of ${kind}: ${taken} taken, ${noted} noted, ${refused} refused by name, ${silent.length} silent differences\n`,
    )
  }
})

const toRecorder = (text: string): string => text.replaceAll('https://httpbin.org', recorder.origin)

/** Sends a draft by the probe. @returns what arrived */
const sentFor = async (answer: Exclude<ReadAnswer, { problems: readonly string[] }>) => {
  recorder.take()
  const { draft, secrets } = answer
  if (draft.kind === 'curl') await sendByProbe(draft.check, secrets)
  if (draft.kind === 'har') {
    for (const { step } of draft.steps) {
      await sendByProbe({ url: step.url, request: requestOfStep(toStep(step)) }, secrets)
    }
  }
  return recorder.take()
}

test('a recording is sent as it was recorded', async () => {
  const found = count('HAR files')
  for (const [name, file] of packages.recordings) {
    const text = toRecorder(JSON.stringify(file))
    const answer = readText({ kind: 'har', text, taken: [] })
    if ('problems' in answer) {
      expect(answer.problems.filter((problem) => problem.length < 20)).toEqual([])
      found.refused += 1
      continue
    }
    const entries = (JSON.parse(text) as typeof file).log.entries
    const sent = await sentFor(answer)
    const differences = sent.flatMap((each, at) => differencesOf(wireOf(entries[at]), each))
    const silent = silentOf(differences, answer.draft.warnings)
    found.silent.push(...silent.map((each) => `${name}: ${each}`))
    if (differences.length > 0) found.noted += 1
    else found.taken += 1
    expect(sent).toHaveLength(entries.length)
  }
  expect(found).toMatchObject({ silent: [] })
  expect(found.taken + found.noted + found.refused).toBe(packages.recordings.length)
})

/** A recording of fields without their text has the body that a browser makes of them. */
const wireOf = (entry: unknown) => {
  const wire = recordedWire(entry)
  const { postData } = (entry as { request: { postData?: { params?: { name: string; value: string }[] } } })
    .request
  const params = postData?.params ?? []
  const fields = new URLSearchParams(params.map(({ name, value }): [string, string] => [name, value]))
  return wire.body === '' && params.length > 0 ? { ...wire, body: fields.toString() } : wire
}

test('a command that a program made of a recording is sent as the real curl sends it', async () => {
  const found = count('curl commands')
  for (const [name, file] of packages.recordings) {
    for (const entry of file.log.entries) {
      const command = toRecorder(packages.curlOf((entry as { request: unknown }).request))
      const answer = readText({ kind: 'curl', text: command, taken: [] })
      if ('problems' in answer) {
        expect(answer.problems.join(' ')).toMatch(/--\w+: A check|body has \d+ characters/)
        found.refused += 1
        continue
      }
      recorder.take()
      await run('bash', ['-c', command.replace(/^curl/, 'curl -sS --noproxy "*" -o /dev/null')])
      const [byCurl] = recorder.take()
      const [byProbe] = await sentFor(answer)
      if (byCurl === undefined || byProbe === undefined) throw new Error(`${name}: nothing was sent`)
      const differences = differencesOf(byCurl, byProbe)
      found.silent.push(...silentOf(differences, answer.draft.warnings).map((each) => `${name}: ${each}`))
      if (differences.length > 0) found.noted += 1
      else found.taken += 1
    }
  }
  expect(found).toMatchObject({ silent: [] })
})

test('each operation of a document is a check with all that it needs, or is refused by name', async () => {
  const found = count('operations of OpenAPI and Swagger documents')
  for (const [name, text] of packages.documents) {
    const document = parse(text) as Node
    const operations = operationsOf(document)
    const answer = readText({ kind: 'openapi', text, baseUrl: 'https://api.example.org', taken: [] })
    if ('problems' in answer) {
      // a document without operations is refused as one
      expect([name, answer.problems, operations.length]).toEqual([
        name,
        [expect.stringMatching(/operations|nests/)],
        0,
      ])
      continue
    }
    const { draft } = answer
    if (draft.kind !== 'openapi') throw new Error('not a document')
    expect(draft.leftOut.filter(({ why }) => why.length < 10)).toEqual([])
    const isCut = operations.length > 100
    for (const operation of operations) {
      const check = draft.operations.find((each) => each.operation === operation.name.slice(0, 200))?.check
      const refused = draft.leftOut.some((each) => each.operation === operation.name.slice(0, 200))
      if (check === undefined) {
        if (refused || isCut) found.refused += 1
        else found.silent.push(`${name}: ${operation.name}`)
        continue
      }
      const missing = missingIn(document, operation.parameters, check)
      found.silent.push(...missing.map((each) => `${name}: ${operation.name}: ${each}`))
      const isNoted = operation.parameters.some(
        (each) => each['required'] !== true && !['path', 'body'].includes(String(each['in'])),
      )
      if (isNoted && !draft.warnings.some((each) => each.startsWith('Parameters that are not required')))
        found.silent.push(`${name}: ${operation.name}: parameters that are not required`)
      if (isNoted) found.noted += 1
      else found.taken += 1
    }
  }
  expect(found).toMatchObject({ silent: [] })
  expect(found.taken).toBeGreaterThan(50)
})

type Check = {
  url: string
  request?: { headers?: { name: string; value: string }[] | undefined } | undefined
}

/** Required parameters of a path or query that a URL does not have as RFC 6570 writes them, and names of headers. */
const missingIn = (document: Node, parameters: readonly Node[], { url, request }: Check): string[] =>
  parameters
    .filter((each) => each['required'] === true || each['in'] === 'path')
    .filter((parameter) => {
      const name = String(parameter['name'])
      if (parameter['in'] === 'header')
        return (
          !/^(?:accept|content-type|authorization)$/i.test(name) &&
          request?.headers?.some((each) => each.name.toLowerCase() === name.toLowerCase()) !== true
        )
      if (parameter['in'] === 'cookie')
        return (
          request?.headers?.some((each) => each.name === 'Cookie' && each.value.includes(`${name}=`)) !== true
        )
      if (parameter['in'] !== 'path' && parameter['in'] !== 'query') return false
      const value = plainExample(document, parameter)
      const form = document['swagger'] === undefined ? templateOf(parameter) : null
      if (value === undefined || form === null || !isFlat(value)) return false
      // a template names its variable, which is the name of the parameter where the style has one
      const key = `v${'x'.repeat(9)}`
      const expanded = packages.expand(form.template.replace('value', key), { [key]: value })
      const expected = expanded.replaceAll(key, encodeURIComponent(name)).replace(/^\?/, '')
      return !url.includes(expected)
    })
    .map((parameter) => `${String(parameter['in'])} ${String(parameter['name'])}`)

const isFlat = (value: unknown): boolean =>
  typeof value !== 'object' ||
  (value !== null && Object.values(value).every((each) => typeof each !== 'object'))
