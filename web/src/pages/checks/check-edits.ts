import { assertionNames } from '@probe-mesh/contracts/assertions'
import type { CheckDetail } from '@probe-mesh/contracts/check'
import type { Problem } from '@probe-mesh/contracts/refusal'
import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/form.ts'
import type { FormState, Typed } from '../../html/form.ts'
import type { Html } from '../../html/html.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { assertionsPage, regionsPage } from './check-edit-pages.ts'

type EditPage = { title: string; page: (check: CheckDetail, form: FormState) => Html }

const regionsEdit: EditPage = { title: 'Regions of', page: regionsPage }
const assertionsEdit: EditPage = { title: 'Assertions of', page: assertionsPage }

const show = async (
  ask: Ask,
  id: string,
  { title, page }: EditPage,
  form: FormState,
  status = 200,
): Promise<Outcome> => {
  const found = await ask('getCheck', { params: { id } })
  if (!found.ok) return refused(found)
  const { name, type } = found.value
  // the others are changed elsewhere; what was posted for one is refused by the API, and shown
  if (type !== 'http' && status === 200)
    return { kind: 'elsewhere', path: `/dashboard/checks/${id}` }
  return {
    kind: 'page',
    title: `${title} ${name}`,
    area: 'checks',
    status,
    main: page(found.value, form),
  }
}

const again = (
  ask: Ask,
  id: string,
  edit: EditPage,
  typed: Typed,
  problem: Problem,
): Promise<Outcome> => show(ask, id, edit, refusedForm(typed, problem), problem.status)

/** Regions and assertions of an http check: what the REST API changes in place, each as a whole. */
export const checkEditRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/checks/:id/regions',
    serve: ({ ask, params }) => show(ask, params['id'] ?? '', regionsEdit, emptyForm),
  },
  {
    method: 'POST',
    path: '/dashboard/checks/:id/regions',
    serve: async ({ ask, params, form }) => {
      const id = params['id'] ?? ''
      const typed = { regions: form.get('regions') ?? '' }
      const regions = typed.regions.split(/[\s,]+/).filter((region) => region !== '')
      const answer = await ask('updateCheckRegions', { params: { id }, body: { regions } })
      return answer.ok
        ? { kind: 'elsewhere', path: `/dashboard/checks/${id}` }
        : again(ask, id, regionsEdit, typed, answer.problem)
    },
  },
  {
    method: 'GET',
    path: '/dashboard/checks/:id/assertions',
    serve: ({ ask, params }) => show(ask, params['id'] ?? '', assertionsEdit, emptyForm),
  },
  {
    method: 'POST',
    path: '/dashboard/checks/:id/assertions',
    serve: async ({ ask, params, form }) => {
      const id = params['id'] ?? ''
      const typed: Typed = Object.fromEntries(
        assertionNames.map((name) => [name, form.get(name) ?? '']),
      )
      const body = assertionsIn(typed)
      const answer = await ask('updateCheckAssertions', { params: { id }, body: body as never })
      return answer.ok
        ? { kind: 'elsewhere', path: `/dashboard/checks/${id}` }
        : again(ask, id, assertionsEdit, typed, answer.problem)
    },
  },
]

const numbers: ReadonlySet<string> = new Set(['assertionStatusMin', 'assertionStatusMax'])

/**
 * What was typed, as the API takes it: an empty field asserts nothing, and what should be a number
 * and is none goes as it was typed, for the API to say so.
 */
export const assertionsIn = (typed: Typed): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(typed).flatMap(([name, text = '']): [string, unknown][] => {
      if (text === '') return []
      if (numbers.has(name)) return [[name, /^\s*\d+\s*$/.test(text) ? Number(text) : text]]
      if (name === 'assertionBodyCaseSensitive' && /^(true|false)$/.test(text)) {
        return [[name, text === 'true']]
      }
      // browsers send every line break as two characters
      return [[name, text.replaceAll('\r\n', '\n')]]
    }),
  )
