import type { CheckDraft } from '@probe-mesh/contracts/check/check-plan'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/private-region'
import type { Api } from '../api/create-api.ts'
import { isGone } from '../api/failure.ts'
import { warningAt, type Diagnostic } from '../protocol/diagnostic.ts'
import type { CallContext, PlannedChange } from '../protocol/resource.ts'
import { isWhollyKnown, type ObjectValue } from '../protocol/value.ts'
import { agentMissing } from './check-plan.ts'
import { assertionNames, checkSchema, createBody, assertionsBody } from './check-schema.ts'
import { failureDiagnostics } from './failure-diagnostics.ts'
import { bodyValue, isSame, valueOf } from './settle.ts'

type Target = { name: string; url: string }

/**
 * What the API says of a planned check, as far as the plan is known. A replace is planned twice: with the old check,
 * which is remembered here, and then as a new one, which is judged.
 */
export const reviewCheck = async (
  api: Api,
  { config, prior, planned }: PlannedChange,
  context: CallContext,
): Promise<Diagnostic[]> => {
  const target = targetOf(planned)
  if (prior !== null) {
    holdCheck(api, prior, { next: target })
    const draft = updateOf(prior, planned)
    return draft === null ? [] : judge(api, draft, context)
  }
  if (target === null) return []
  const old = api.held.ofTarget(target)
  const regions = valueOf(config, 'regions')
  if (old?.regions.some(isPrivateRegion) === true && regions === null) return [agentMissing([...old.regions])]
  const check = knownBody(planned)
  const draft: CheckDraft =
    typeof old?.id !== 'string' ? { action: 'create', check } : { action: 'replace', id: old.id, check }
  const [refusals, twins] = await Promise.all([
    // an agent that is not known yet decides which URLs it measures
    isWhollyKnown(regions) ? judge(api, draft, context) : [],
    noticeTwins(api, target, context),
  ])
  return [...refusals, ...twins]
}

/** Remembers that Terraform manages a check. @param now what it is planned to be, or that it is gone */
export const holdCheck = (
  api: Api,
  state: ObjectValue,
  { next = null, isLost = false }: { next?: Target | null; isLost?: boolean } = {},
): void => {
  const id = valueOf(state, 'id')
  if (typeof id !== 'string') return
  if (!isLost) api.held.add(id)
  const regions = (bodyValue(valueOf(state, 'regions')) ?? []) as string[]
  for (const target of [targetOf(state), next]) {
    if (target !== null) api.held.addTarget(target, { id: isLost ? null : id, regions })
  }
}

const targetOf = (values: ObjectValue): Target | null => {
  const [name, url] = [valueOf(values, 'name'), valueOf(values, 'url')]
  return typeof name === 'string' && typeof url === 'string' ? { name, url } : null
}

/** Assertions belong together: they are left out while one of them is unknown. */
const knownBody = (planned: ObjectValue): Record<string, unknown> => {
  const body: Record<string, unknown> = createBody(planned)
  if (areAssertionsKnown(planned)) return body
  const fields = new Set<string>(Object.values(assertionNames))
  return Object.fromEntries(Object.entries(body).filter(([field]) => !fields.has(field)))
}

const areAssertionsKnown = (values: ObjectValue): boolean =>
  Object.keys(assertionNames).every((name) => isWhollyKnown(valueOf(values, name)))

/** The change in place; null: there is none, or the check is replaced and judged as the new one. */
const updateOf = (prior: ObjectValue, planned: ObjectValue): CheckDraft | null => {
  const id = valueOf(prior, 'id')
  const isChanged = (name: string): boolean =>
    !isSame(valueOf(prior, name), valueOf(planned, name), name === 'regions')
  const replacing = Object.entries(checkSchema.attributes).filter(([, { replaces }]) => replaces === true)
  if (typeof id !== 'string' || replacing.some(([name]) => isChanged(name))) return null
  const regions = valueOf(planned, 'regions')
  const isMoved = isChanged('regions') && isWhollyKnown(regions) && regions !== null
  const isReasserted = Object.keys(assertionNames).some(isChanged) && areAssertionsKnown(planned)
  if (!isMoved && !isReasserted) return null
  return {
    action: 'update',
    id,
    ...(isMoved ? { check: { regions: bodyValue(regions) } } : {}),
    ...(isReasserted ? { assertions: assertionsBody(planned) } : {}),
  }
}

/** A control plane without this route judges when it writes, as it always did. */
const judge = async (api: Api, draft: CheckDraft, context: CallContext): Promise<Diagnostic[]> => {
  const judged = await api.judge(draft, context)
  if (judged.ok) {
    return judged.value.flatMap(({ code, message, errors }) =>
      failureDiagnostics(checkSchema, 'The API would refuse this check', { code, message, errors }),
    )
  }
  if (isGone(judged.failure) || judged.failure.code === 'SV-3005') return []
  const detail = `${judged.failure.message}\n\nWhether the API accepts this check is known only when it is applied.`
  return [warningAt([], 'The check was not judged', detail)]
}

/**
 * Warns of existing checks with the name and URL of a check to be created, unless Terraform is known to
 * manage them. An interrupted run can leave such a check behind. When the API does not answer, the plan goes
 * ahead.
 */
const noticeTwins = async (api: Api, { name, url }: Target, context: CallContext): Promise<Diagnostic[]> => {
  const listed = await api.checks(context)
  if (!listed.ok) return []
  const twins = listed.value.filter(
    (each) => each.name === name && each.url === url && !api.held.has(each.id),
  )
  if (twins.length === 0) return []
  const ids = twins.map(({ id }) => id).join(', ')
  return [
    warningAt(
      [],
      'A check with this name and URL already exists',
      `The account has ${JSON.stringify(name)} for ${url} (${ids}), which this configuration does not seem to manage. ` +
        'Applying creates another one. If an interrupted run left it behind, import it by its id or delete it.',
    ),
  ]
}
