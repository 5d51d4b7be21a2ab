import type { StackAnswer } from '@probe-mesh/contracts/outage/answers'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import { evidenceOf, basisOf, namedProbes } from '../evidence.ts'
import { rollUp } from '../plate.ts'
import type { AnswersContext } from './context.ts'
import { plateOf } from './plates.ts'
import { readOptions } from './context.ts'

/** A stack by id or slug, from the levels of its services. An unknown stack is SV-3001 (S-1218). */
export const getStack = (
  context: AnswersContext,
  { params }: AnswerInput<'getStack'>,
): StackAnswer | Refusal => {
  const { catalog, publicUrl } = context
  // ids and slugs are stored in lower case
  const stack = catalog.stacks.get(params.idOrSlug.toLowerCase())
  if (stack === undefined) {
    return refuse('SV-3001', { message: 'There is no stack with that id or slug.' })
  }
  const options = readOptions(context)
  const plates = stack.members.flatMap((slug) => {
    const service = catalog.bySlug.get(slug)
    return service === undefined ? [] : [plateOf(context, service, options)]
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
    ...evidenceOf(basisOf(plates.flatMap(({ views }) => views)), options),
    ...namedProbes(plates.flatMap(({ probes }) => probes)),
    url: `${publicUrl}/stacks/${stack.slug}`,
    summary,
  }
}
