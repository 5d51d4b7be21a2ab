import { namedChecksMax } from '@probe-mesh/contracts/check/check-list'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Ask, Asked } from '../../api/ask.ts'
import { flag, html, type Html } from '@probe-mesh/runtime/html'
import type { Choice } from '../../html/components/form.ts'
import { choiceOf } from '../check-choice.ts'
import { askCheckNames, idsIn } from '../check-names.ts'

/** Boxes that are shown besides those that are ticked: the rest is found by name. */
export const boxesMax = 50

/** @param found how many checks have the text, ticked ones included */
export type CheckBoxes = {
  choices: readonly Choice[]
  found: number
  left: number
  all: number
  /** Boxes that are ticked; they come first. */
  ticked: number
}

/**
 * The checks that a rule can name: those that are ticked whatever is sought, then those whose name or
 * address has the text, each by name. What was ticked and is deleted since has no box.
 */
export const askCheckBoxes = async (
  ask: Ask,
  { text, ticked }: { text: string; ticked: readonly string[] },
): Promise<Asked<CheckBoxes>> => {
  const ids = idsIn(ticked)
  const first = ids.slice(0, namedChecksMax)
  const [names, rest] = await Promise.all([
    ask('listCheckNames', {
      query: {
        q: text.slice(0, limits.urlCharactersMax),
        most: boxesMax,
        ...(first.length === 0 ? {} : { ids: first.join(',') }),
      },
    }),
    // more than a rule may name: refused where it is saved, and shown as it was ticked
    askCheckNames(ask, ids.slice(namedChecksMax)),
  ])
  if (!names.ok) return names
  if (!rest.ok) return rest
  const chosen = [...names.value.named, ...rest.value]
  const { checks = [], left = 0, count = 0, all = 0 } = names.value.found ?? {}
  const tickedIds = new Set(ids)
  const others = checks.filter(({ id }) => !tickedIds.has(id))
  const choices = [...chosen, ...others].map(choiceOf)
  return { ok: true, value: { choices, found: count, left, all, ticked: chosen.length } }
}

/**
 * Whether a form that was sent looks for checks and saves nothing: its button says so, or the Enter
 * key was pressed after another text was typed.
 */
export const isSearch = (form: URLSearchParams): boolean => {
  const act = form.get('act')
  if (act === 'find' || act === untick) return true
  return act === 'enter' && (form.get('q') ?? '') !== (form.get('sought') ?? '')
}

const untick = 'untick'

/** Ids of the checks that are ticked in a form that was sent; none where its button unticks them all. */
export const tickedIn = (form: URLSearchParams): readonly string[] =>
  form.get('act') === untick ? [] : form.getAll('checkIds')

/** Clears all checks at once. */
export const untickButton = ({ ticked }: CheckBoxes, path: string): Html | null =>
  ticked === 0
    ? null
    : html`<p class="actions">
        <button type="submit" name="act" value="${untick}" formnovalidate formaction="${path}#find">
          Clear selection
        </button>
        <span class="muted">${ticked} selected. Not saved yet.</span>
      </p>`

/** What finds checks within the form, so that what is ticked and typed is kept; nothing where all are shown. */
export const checkSearch = (
  { choices, found, left, all }: CheckBoxes,
  { text, path }: { text: string; path: string },
): Html | null =>
  all <= boxesMax
    ? null
    : html`<div role="search" aria-label="Checks to choose from" id="find" tabindex="-1">
        <p class="actions">
          <label for="q">Search checks</label>
          <input id="q" name="q" type="search" value="${text}" autocomplete="off" />
          <input type="hidden" name="sought" value="${text}" />
          <button type="submit" name="act" value="find" formnovalidate formaction="${path}#find">
            Search
          </button>
        </p>
        <p class="muted">
          ${text === '' ? `${all} checks.` : `${found} of ${all} checks match.`} ${choices.length} are shown,
          selected ones first.${left > 0 && ` ${left} more: search for a part of the name.`}
        </p>
      </div>`

/** What the Enter key presses, before any other button of the form. */
export const enterButton: Html = html`<button
  class="unseen"
  type="submit"
  name="act"
  value="enter"
  tabindex="-1"
  aria-hidden="true"
  ${flag('formnovalidate', true)}
>
  Save
</button>`
