import type { StackAnswer } from '@probe-mesh/contracts/outage/answers'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import { resolveName } from '../../catalog/resolve-name.ts'
import { evidenceOf, basisOf, namedProbes } from '../evidence.ts'
import { rollUp } from '../plate.ts'
import { readOptions, type AnswersContext } from './context.ts'
import { plateOf } from './plates.ts'

/** Stacks in the message of a refusal. */
const listedMax = 30

/** No tool lists the stacks, so the refusal does, with those that are spelled alike. */
const refuseUnknown = ({ catalog }: AnswersContext, name: string): Refusal => {
  const { slug, didYouMean: similar } = resolveName(catalog.stackNames, name)
  const didYouMean = slug === null ? similar : [slug]
  const suggestion = didYouMean.length === 0 ? '' : ` Did you mean ${didYouMean.join(' or ')}?`
  const all = catalog.catalog.stacks.slice(0, listedMax).map((stack) => stack.slug)
  const message = `There is no stack "${name.slice(0, 100)}".${suggestion} Stacks: ${all.join(', ')}.`
  return refuse('SV-3001', { message, didYouMean })
}

/** A stack by id or slug, from the levels of its services. An unknown stack is SV-3001 (S-1218). */
export const getStack = (
  context: AnswersContext,
  { params }: AnswerInput<'getStack'>,
): StackAnswer | Refusal => {
  const { catalog, publicUrl } = context
  // ids and slugs are stored in lower case
  const stack = catalog.stacks.get(params.idOrSlug.toLowerCase())
  if (stack === undefined) {
    return refuseUnknown(context, params.idOrSlug)
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
