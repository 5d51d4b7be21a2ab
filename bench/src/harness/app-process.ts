// A server in a process of its own: the real app, or Fastify with a constant response.
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { answersOf, type TestAnswers } from '@probe-mesh/control-plane/src/public-answers/answers/testing'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { answerParent } from './child.ts'
import { addPages, createBenchApp, createConstant, gatewayKey } from './bench-app.ts'
import { servicesOf } from './services.ts'
import { usageOfProcess } from './usage.ts'
import type { RegionReadings } from '@probe-mesh/control-plane/src/public-answers/region-reading'

/** The catalog is measured from every region once a minute. */
const intervalMs = 60_000
const stepMs = 50

/** Gives every region of every service a reading, and replaces each once a minute, evenly spread. */
const changeReadings = ({ catalog, observed, regions }: TestAnswers): void => {
  const slugs = catalog.catalog.services.map(({ slug }) => slug)
  const held = new Map<string, RegionReadings[]>()
  for (const [index, slug] of slugs.entries()) {
    held.set(
      slug,
      regions.map((region) => read(region, index)),
    )
    observed.setRegions(slug, held.get(slug) ?? [])
  }
  const readingsPerStep = (slugs.length * regions.length * stepMs) / intervalMs
  let due = 0
  let next = 0
  setInterval(() => {
    for (due += readingsPerStep; due >= 1; due--) {
      const index = next % slugs.length
      const slug = slugs[index] ?? ''
      const at = Math.floor(next / slugs.length) % regions.length
      const changed = (held.get(slug) ?? []).with(at, read(regions[at] ?? '', next))
      held.set(slug, changed)
      observed.setRegions(slug, changed)
      next += 1
    }
  }, stepMs)
}

/** One in fifty fails. */
const read = (region: string, seed: number): RegionReadings => {
  const isDown = seed % 50 === 49
  const reading = {
    verdict: isDown ? 'down' : 'up',
    reason: isDown ? 'expected status 200-299, got 503' : null,
    latencyMs: 40 + (seed % 400) + 0.25,
    measuredAt: Date.now(),
  } as const
  return { region, readings: [reading], quarantined: false }
}

export type AppQuestion =
  | {
      kind: 'app'
      databaseUrl: string
      clickhouseUrl: string
      folder: string
      /** How many services the catalog has, each with readings that change; null: the default catalog. */
      services: number | null
      /** With the pages that people read. */
      pages: boolean
    }
  | { kind: 'constant'; path: string; body: string; type: string; maxParamLength: number }
  | { kind: 'usage' }
  /** How many requests came since this was asked last. */
  | { kind: 'requests' }

const loopback = { host: '127.0.0.1', port: 0 }
/** More than any run sends. */
const keylessPerMinute = 100_000_000

let requests = 0

const startApp = async (question: AppQuestion & { kind: 'app' }): Promise<string> => {
  const { folder, services, pages } = question
  const bus = await openInProcessBus({ directory: folder })
  const answers =
    services === null
      ? answersOf()
      : answersOf({ catalog: indexCatalog({ services: servicesOf(services), stacks: [] }) })
  if (services !== null) changeReadings(answers)
  const app = createBenchApp(question, { bus, answers, keylessPerMinute }, { gatewayKey })
  if (pages) await addPages(app)
  app.server.on('request', () => requests++)
  return app.listen(loopback)
}

answerParent<AppQuestion>(async (question) => {
  switch (question.kind) {
    case 'app':
      return startApp(question)
    case 'constant':
      return createConstant(question).listen(loopback)
    case 'usage':
      return usageOfProcess()
    case 'requests': {
      const since = requests
      requests = 0
      return since
    }
    default:
      return question satisfies never
  }
})
