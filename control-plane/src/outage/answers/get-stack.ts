import type { StackAnswer } from '@probe-mesh/contracts/outage/answers'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import { evidenceOf, groundOf, namedProbes } from '../evidence.ts'
import { rollUp } from '../plate.ts'
import type { AnswersContext } from './context.ts'
import { plateOf } from './plates.ts'
import { readAt } from './context.ts'

/** A stack by its id or slug, from the levels of its services. An unknown one is SV-3001 (S-1218). */
export const getStack = (
  context: AnswersContext,
  { params }: AnswerInput<'getStack'>,
): StackAnswer | Refusal => {
  const { catalog, publicUrl } = context
  // ids and slugs are kept in lower case
  const stack = catalog.stacks.get(params.idOrSlug.toLowerCase())
  if (stack === undefined) {
    return refuse('SV-3001', { message: 'There is no stack with that id or slug.' })
  }
  const how = readAt(context)
  const plates = stack.members.flatMap((slug) => {
    const service = catalog.bySlug.get(slug)
    return service === undefined ? [] : [plateOf(context, service, how)]
  })
  const { status, summary } = rollUp(plates.map(({ level }) => level))
  return {
    stack: { id: stack.id, slug: stack.slug, name: stack.name },
    status,
    services: plates.map(({ service: { slug, name }, level, shows, measuredAt, probes }) => ({
      slug,
      name,
      level,
      shows,
      measuredAt,
      probes: [...probes],
    })),
    ...evidenceOf(groundOf(plates.flatMap(({ views }) => views)), how),
    ...namedProbes(plates.flatMap(({ probes }) => probes)),
    url: `${publicUrl}/stacks/${stack.slug}`,
    summary,
  }
}
