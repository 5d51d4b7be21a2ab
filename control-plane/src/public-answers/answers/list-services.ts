import type { CatalogAnswer, StacksAnswer } from '@probe-mesh/contracts/outage/answers'
import { evidenceOf, basisOf, namedProbes } from '../evidence.ts'
import { rollUp } from '../plate.ts'
import { withVantage, whenMeasured } from '../sentence.ts'
import { readOptions, type AnswersContext } from './context.ts'
import { plateOf } from './plates.ts'

/** The stacks of the catalog, with the evidence of all its services. */
export const listStacks = (context: AnswersContext): StacksAnswer => {
  const { services: _, ...answer } = listServices(context)
  return { ...answer, url: `${context.publicUrl}/stacks` }
}

/** All services of the catalog in its order, each with its level. */
export const listServices = (context: AnswersContext): CatalogAnswer => {
  const options = readOptions(context)
  const { services, stacks } = context.catalog.catalog
  const plates = services.map((service) => plateOf(context, service, options))
  const evidence = evidenceOf(basisOf(plates.flatMap(({ views }) => views)), options)
  const { summary } = rollUp(plates.map(({ level }) => level))
  const factors = new Map(context.observed.services().map((observed) => [observed.slug, observed.factors]))
  return {
    services: plates.map(
      ({ service: { slug, name, category, domains }, level, shows, measuredAt, probes }) => ({
        slug,
        name,
        category,
        domains,
        level,
        shows,
        measuredAt,
        probes: [...probes],
        factors: [...(factors.get(slug) ?? [])],
      }),
    ),
    stacks: stacks.map(({ slug, name, description, members }) => ({ slug, name, description, members })),
    ...evidence,
    ...namedProbes(plates.flatMap(({ probes }) => probes)),
    url: `${context.publicUrl}/services`,
    summary: withVantage(options, `${summary}${whenMeasured(evidence)}.`),
  }
}
