import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  ServiceMonitor,
  PrometheusRule,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service, ServiceAccount } from 'kubernetes-models/v1'
import { expect, test } from 'vitest'
import { everything, plain, renderAll, type Thing } from './testing/chart.ts'

/**
 * The rendered objects against the schemas that Kubernetes and the operator of Prometheus publish, as a package has
 * them: its validators check types, formats and choices, and its types refuse members that a schema does not have.
 */
const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const operator = '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
const kinds = {
  Deployment: { model: Deployment, from: 'kubernetes-models/apps/v1' },
  StatefulSet: { model: StatefulSet, from: 'kubernetes-models/apps/v1' },
  Ingress: { model: Ingress, from: 'kubernetes-models/networking.k8s.io/v1' },
  NetworkPolicy: { model: NetworkPolicy, from: 'kubernetes-models/networking.k8s.io/v1' },
  PodDisruptionBudget: { model: PodDisruptionBudget, from: 'kubernetes-models/policy/v1' },
  Service: { model: Service, from: 'kubernetes-models/v1' },
  ServiceAccount: { model: ServiceAccount, from: 'kubernetes-models/v1' },
  ServiceMonitor: { model: ServiceMonitor, from: operator },
  PrometheusRule: { model: PrometheusRule, from: operator },
} as const
const isKnown = (kind: string): kind is keyof typeof kinds => Object.hasOwn(kinds, kind)

const invalid = (thing: Thing): string[] => {
  if (!isKnown(thing.kind)) return [`there is no schema of ${thing.kind}`]
  const { model } = kinds[thing.kind]
  try {
    // oxlint-disable-next-line typescript/no-explicit-any
    new model(thing as any).validate()
    return []
  } catch (error) {
    return [`${thing.kind} ${thing.metadata.name}: ${String(error)}`]
  }
}

/** The members that the schemas do not have, by TypeScript: objects of a file are exact. */
const unknownMembers = async (things: readonly Thing[]): Promise<string[]> => {
  const folder = await mkdtemp(join(root, 'node_modules', '.cache', 'chart-'))
  try {
    const lines = things.map(({ kind, ...rest }, at) => {
      const { from } = kinds[kind as keyof typeof kinds]
      return `export const one${at}: import('${from}').I${kind} = ${JSON.stringify({ kind, ...rest })}`
    })
    await writeFile(join(folder, 'objects.ts'), `${lines.join('\n')}\n`)
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout } = await run(tsc, [...options, '--ignoreConfig', join(folder, 'objects.ts')], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error)
    return stdout.split('\n').filter((line) => line.includes('error TS'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const objects = (): Thing[] => [everything(), plain()].flatMap(renderAll)

test('every object has the types, formats and choices of its schema', () => {
  expect(objects().length).toBeGreaterThan(25)
  expect(objects().flatMap(invalid)).toEqual([])
})

test('no object has a member that its schema does not have', { timeout: 60_000 }, async () => {
  expect(await unknownMembers(objects())).toEqual([])
})

test('both find what is wrong', { timeout: 60_000 }, async () => {
  const pods = objects().find(({ kind }) => kind === 'Deployment')
  const wrong = structuredClone(pods) as Thing
  wrong.spec['replicas'] = 'two'
  expect(invalid(wrong)).toEqual([expect.stringMatching(/\/spec\/replicas must be integer/)])
  const misspelt = structuredClone(pods) as Thing
  misspelt.spec['template'].spec.containers[0].readinesProbe = { httpGet: { port: 1 } }
  expect(await unknownMembers([misspelt])).toEqual([expect.stringMatching(/readinesProbe\W+ does not exist/)])
})
