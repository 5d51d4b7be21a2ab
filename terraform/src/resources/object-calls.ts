import { isGone, type Answer } from '../api/failure.ts'
import { errorAt, type Diagnostic } from '../protocol/diagnostic.ts'
import type { Applied, CallContext, Resource } from '../protocol/resource.ts'
import type { Schema } from '../protocol/schema.ts'
import { toObject, type ObjectValue } from '../protocol/value.ts'
import { failureDiagnostics } from './failure-diagnostics.ts'
import { isUuid } from './rules.ts'
import { settle, valueOf } from './settle.ts'

/** Schema version 0 stored the same attributes under the same names; a read fills in what it lacks. */
export const upgrades: NonNullable<Resource<never>['upgrades']> = { 0: (stored) => stored }

type Source<T> = {
  id: string
  list(context: CallContext): Promise<Answer<readonly T[]>>
  get(context: CallContext): Promise<Answer<T>>
}

/**
 * What all resources do with the API's answers.
 * @param toState the object as a state holds it, given the state or the plan before
 * @param remember what Terraform keeps privately beside the state
 */
export const objectCalls = <T extends { id: string }>(
  schema: Schema,
  toState: (object: T, before: ObjectValue) => ObjectValue,
  remember?: (object: T) => Uint8Array,
) => {
  const failed = (undone: string, { failure }: { failure: Parameters<typeof isGone>[0] }) =>
    failureDiagnostics(schema, undone, failure)
  const privately = (object: T) => (remember === undefined ? {} : { private: remember(object) })
  return {
    /** The result of a create or an update. @param undone such as `The check was not created` */
    applied: (
      answer: Answer<T>,
      undone: string,
      prior: ObjectValue | null,
      planned: ObjectValue,
    ): Applied => {
      if (!answer.ok) return { state: prior, diagnostics: failed(undone, answer) }
      const state = settle(schema, planned, toState(answer.value, planned))
      return { state, diagnostics: [], ...privately(answer.value) }
    },
    read: async (
      state: ObjectValue,
      undone: string,
      context: CallContext,
      source: Source<T>,
    ): Promise<Applied> => {
      const found = await findOne(source, context)
      if (!found.ok) return { state, diagnostics: failed(undone, found) }
      if (found.value === null) return { state: null, diagnostics: [] }
      return { state: toState(found.value, state), diagnostics: [], ...privately(found.value) }
    },
    removed: (answer: Answer<unknown>, undone: string): Diagnostic[] =>
      answer.ok ? [] : failed(undone, answer),
  }
}

/**
 * Finds one object in the listing that all reads share. An object that the listing lacks is requested by its
 * id, so that a short list never makes Terraform create it again.
 * @returns null where the object is gone
 */
const findOne = async <T extends { id: string }>(
  source: Source<T>,
  context: CallContext,
): Promise<Answer<T | null>> => {
  const listed = await source.list(context)
  if (!listed.ok && !isGone(listed.failure)) return listed
  const id = source.id.toLowerCase()
  const found = listed.ok ? listed.value.find((each) => each.id === id) : undefined
  if (found !== undefined) return { ok: true, value: found }
  const answer = await source.get(context)
  return answer.ok || !isGone(answer.failure) ? answer : { ok: true, value: null }
}

const suggestionsMax = 5

/** The ids of objects with a name, to suggest for an import. */
export const idsOf = <T extends { id: string }>(
  listed: Answer<readonly T[]>,
  text: string,
  namesOf: (object: T) => readonly string[],
): string[] =>
  (listed.ok ? listed.value : [])
    .filter((each) => namesOf(each).includes(text))
    .slice(0, suggestionsMax)
    .map((each) => `${each.id} (${namesOf(each).join(', ')})`)

type Imported = ReturnType<Resource<never>['importState']>

/** The import id of a check, a status page or a channel is its id (S-2704). */
export const importById =
  (schema: Schema, what: string) =>
  (id: string): Imported =>
    isUuid(id)
      ? { state: stubOf(schema, { id: id.toLowerCase() }) }
      : refuseId(`The import id of a ${what} is its id, which is a UUID.`)

/** The import id of a component is `<status_page_id>/<component_id>` (S-2704). */
export const importByPage =
  (schema: Schema) =>
  (text: string): Imported => {
    const [page = '', id = '', ...more] = text.split('/')
    return isUuid(page) && isUuid(id) && more.length === 0
      ? { state: stubOf(schema, { status_page_id: page.toLowerCase(), id: id.toLowerCase() }) }
      : refuseId('The import id of a component is <status_page_id>/<component_id>, both UUIDs.')
  }

/** A state that holds only these attributes; a read fills in the others. */
const stubOf = ({ attributes }: Schema, known: Readonly<Record<string, string>>): ObjectValue =>
  toObject(Object.keys(attributes).map((name) => [name, valueOf(known, name)]))

const refuseId = (detail: string): Imported => ({
  diagnostics: [errorAt([], 'Invalid import id', detail)],
})
