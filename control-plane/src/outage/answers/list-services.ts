import type { CatalogAnswer } from '@probe-mesh/contracts/outage/answers'
import { evidenceOf, groundOf, namedProbes } from '../evidence.ts'
import { rollUp } from '../plate.ts'
import { withVantage, whenMeasured } from '../sentence.ts'
import type { AnswersContext } from './context.ts'
import { plateOf } from './plates.ts'
import { readAt } from './context.ts'

/** The catalog in its own order, and how each service stands. */
export const listServices = (context: AnswersContext): CatalogAnswer => {
  const how = readAt(context)
  const { services, stacks } = context.catalog.catalog
  const plates = services.map((service) => plateOf(context, service, how))
  const evidence = evidenceOf(groundOf(plates.flatMap(({ views }) => views)), how)
  const { summary } = rollUp(plates.map(({ level }) => level))
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
      }),
    ),
    stacks: stacks.map(({ slug, name }) => ({ slug, name })),
    ...evidence,
    ...namedProbes(plates.flatMap(({ probes }) => probes)),
    url: `${context.publicUrl}/services`,
    summary: withVantage(how, `${summary}${whenMeasured(evidence)}.`),
  }
}
