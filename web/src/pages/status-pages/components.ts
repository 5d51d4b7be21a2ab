import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { askCheckChoices } from '../check-choice.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { orNull, typedOf } from '../typed.ts'
import { componentPage, publishPage, unpublishPage } from './component-pages.ts'

const area = 'pages'
const path = '/dashboard/pages/:id/components/:componentId'

const showPublish = async (
  ask: Ask,
  id: string,
  asked: { form: FormState; text: string },
  status = 200,
): Promise<Outcome> => {
  const page = await ask('getStatusPage', { params: { id } })
  if (!page.ok) return refused(page)
  const choices = await askCheckChoices(ask, {
    text: asked.text,
    chosen: asked.form.typed['checkId'],
    publishableOn: page.value.id,
  })
  if (!choices.ok) return refused(choices)
  const main = publishPage(page.value, choices.value, asked)
  return { kind: 'page', title: `Publish a check on ${page.value.name}`, area, status, main }
}

const ofComponent = (params: Readonly<Record<string, string>>) => ({
  id: params['id'] ?? '',
  componentId: params['componentId'] ?? '',
})

/** @param sent what was refused; null where nothing was sent yet */
const showComponent = async (
  ask: Ask,
  params: ReturnType<typeof ofComponent>,
  sent: FormState | null,
  status = 200,
): Promise<Outcome> => {
  const answer = await ask('getComponent', { params })
  if (!answer.ok) return refused(answer)
  const { displayName, description } = answer.value
  const typed = { displayName, description: description ?? '' }
  const main = componentPage(answer.value, sent ?? { ...emptyForm, typed })
  return { kind: 'page', title: `Edit ${displayName}`, area, status, main }
}

/** What a page publishes: a check put on it, shown otherwise, taken off it. */
export const componentRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: '/dashboard/pages/:id/publish',
    serve: ({ ask, params, query }) =>
      showPublish(ask, params['id'] ?? '', { form: emptyForm, text: query.get('q') ?? '' }),
  },
  {
    method: 'POST',
    path: '/dashboard/pages/:id/publish',
    serve: async ({ ask, params, form }) => {
      const id = params['id'] ?? ''
      const typed = typedOf(form)
      const displayName = orNull(typed['displayName'])
      const body = {
        checkId: typed['checkId'] ?? '',
        ...(displayName === null ? {} : { displayName }),
        description: orNull(typed['description']),
      }
      const made = await ask('createComponent', { params: { id }, body })
      if (made.ok) return { kind: 'elsewhere', path: `/dashboard/pages/${id}` }
      const asked = { form: refusedForm(typed, made.problem), text: typed['q'] ?? '' }
      return showPublish(ask, id, asked, made.problem.status)
    },
  },
  {
    method: 'GET',
    path,
    serve: ({ ask, params }) => showComponent(ask, ofComponent(params), null),
  },
  {
    method: 'POST',
    path,
    serve: async ({ ask, params, form }) => {
      const of = ofComponent(params)
      const typed = typedOf(form)
      const body = {
        displayName: typed['displayName'] ?? '',
        description: orNull(typed['description']),
      }
      const saved = await ask('updateComponent', { params: of, body })
      if (saved.ok) return { kind: 'elsewhere', path: `/dashboard/pages/${of.id}` }
      return showComponent(ask, of, refusedForm(typed, saved.problem), saved.problem.status)
    },
  },
  {
    method: 'GET',
    path: `${path}/unpublish`,
    serve: async ({ ask, params }) => {
      const answer = await ask('getComponent', { params: ofComponent(params) })
      if (!answer.ok) return refused(answer)
      return { kind: 'page', title: 'Unpublish it?', area, main: unpublishPage(answer.value) }
    },
  },
  {
    method: 'POST',
    path: `${path}/unpublish`,
    serve: async ({ ask, params }) => {
      const of = ofComponent(params)
      const answer = await ask('deleteComponent', { params: of })
      return answer.ok ? { kind: 'elsewhere', path: `/dashboard/pages/${of.id}` } : refused(answer)
    },
  },
]
