import {
  HarDraft,
  ImportKind,
  importBytesMax,
  OpenApiDraft,
  type ImportInput,
} from '@probe-mesh/contracts/check/check-import'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Problem } from '@probe-mesh/contracts/schema/refusal'
import { z } from 'zod'
import type { Ask } from '../../api/ask.ts'
import { emptyForm, type FormState } from '../../html/components/form.ts'
import { typedOfDraft, typedOfSteps } from '../check-form/draft-texts.ts'
import { importPath } from '../check-form/import-notes.ts'
import { showNewCheck } from '../new-check/new-check.ts'
import { refusedForm, type Outcome } from '../outcome.ts'
import { get, type MemberRoute } from '../page-route.ts'
import { choicePage, stepChoicePage, type Choice } from './choice-page.ts'
import { createChosen } from './create-chosen.ts'
import { importPage, textFieldOf } from './import-page.ts'

/** A file with the form around it. */
const bodyBytesMax = importBytesMax.har + 64 * 1024

/** Checks from requests that people have elsewhere: read, shown as drafts, and created on confirmation. */
export const importRoutes: readonly MemberRoute[] = [
  get(importPath, async () => show(null)),
  {
    method: 'POST',
    path: importPath,
    bodyBytesMax,
    serve: async ({ ask, form }) => {
      const act = form.get('act')
      if (act === 'create') return create(ask, form)
      if (act === 'steps') return useSteps(ask, form)
      const kind = ImportKind.safeParse(act)
      return kind.success ? read(ask, kind.data, form) : show(null)
    },
  },
]

const show = (refused: { kind: ImportKind; form: FormState } | null, status = 200): Outcome => ({
  kind: 'page',
  title: 'Import checks',
  area: 'checks',
  status,
  main: importPage(refused),
})

const read = async (ask: Ask, kind: ImportKind, form: URLSearchParams): Promise<Outcome> => {
  const sent = form.get(textFieldOf[kind]) ?? ''
  const text = kind === 'curl' ? sent : Buffer.from(sent, 'base64').toString()
  const baseUrl = form.get('baseUrl')?.trim() ?? ''
  const body: ImportInput = { kind, text, ...(baseUrl !== '' && { baseUrl }) }
  const answer = await ask('readImport', { body })
  if (!answer.ok) {
    const typed = { baseUrl, ...(kind === 'curl' && { curl: sent }) }
    return show({ kind, form: refusedForm(typed, atField(answer.problem, kind)) }, answer.problem.status)
  }
  const draft = answer.value
  if (draft.kind === 'curl') return showNewCheck(ask, 'http', typedOfDraft(draft.check), { imported: draft })
  if (draft.kind === 'openapi') return choose({ ...draft, stored: [] }, emptyForm, safeOnes(draft))
  return draft.steps.length > limits.stepsMax
    ? chooseSteps(draft, emptyForm)
    : showNewCheck(
        ask,
        'multistep',
        typedOfSteps(
          draft.name,
          draft.steps.map(({ step }) => step),
        ),
        { imported: draft },
      )
}

/** The API names the text; each form has its own field for it, which joins its problems. */
const atField = (problem: Problem, kind: ImportKind): Problem => ({
  ...problem,
  errors: problem.errors.map(({ path, message }) => ({
    path: path === 'text' ? textFieldOf[kind] : path,
    message: message.replace(/\.$/, ''),
  })),
})

const safeOnes = ({ operations }: OpenApiDraft): Set<number> =>
  new Set(operations.flatMap(({ isSafe }, at) => (isSafe ? [at] : [])))

const choose = (choice: Choice, form: FormState, chosen: ReadonlySet<number>, status = 200): Outcome => ({
  kind: 'page',
  title: `Import ${choice.title}`,
  area: 'checks',
  status,
  main: choicePage(choice, form, chosen),
})

const ChoiceForm = OpenApiDraft.omit({ kind: true }).extend({ stored: z.array(z.string()) })

const create = async (ask: Ask, form: URLSearchParams): Promise<Outcome> => {
  const choice = ChoiceForm.safeParse(jsonOf(form.get('choice')))
  if (!choice.success) return show(null)
  const chosen = numbersIn(form, 'operation', choice.data.operations.length)
  const made = await createChosen(ask, choice.data, chosen, form)
  return 'path' in made
    ? { kind: 'elsewhere', path: made.path, done: 'checks-created' }
    : choose(made.choice, made.form, made.chosen, 422)
}

const StepsForm = HarDraft.omit({ kind: true })

const useSteps = async (ask: Ask, form: URLSearchParams): Promise<Outcome> => {
  const draft = StepsForm.safeParse(jsonOf(form.get('draft')))
  if (!draft.success) return show(null)
  const { name, steps } = draft.data
  const chosen = [...numbersIn(form, 'step', steps.length)].toSorted((a, b) => a - b)
  const own = chosen.flatMap((at) => steps[at] ?? []).filter(({ problems }) => problems.length === 0)
  if (own.length === 0 || own.length > limits.stepsMax) {
    const message = `Choose 1 to ${limits.stepsMax} requests, not ${own.length}.`
    return chooseSteps(draft.data, { ...emptyForm, problems: [{ path: 'steps', message }] }, 422)
  }
  return showNewCheck(
    ask,
    'multistep',
    typedOfSteps(
      name,
      own.map(({ step }) => step),
    ),
    { imported: draft.data },
  )
}

const chooseSteps = (draft: z.infer<typeof StepsForm>, form: FormState, status = 200): Outcome => ({
  kind: 'page',
  title: 'Choose the steps of a journey',
  area: 'checks',
  status,
  main: stepChoicePage(draft, form),
})

const numbersIn = (form: URLSearchParams, name: string, count: number): Set<number> =>
  new Set(
    form
      .getAll(name)
      .map(Number)
      .filter((at) => Number.isInteger(at) && at >= 0 && at < count),
  )

const jsonOf = (text: string | null): unknown => {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}
