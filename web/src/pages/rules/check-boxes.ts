import { flag, html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'
import type { Choice } from '../../html/form.ts'
import { byName, checksWith, choiceOf } from '../check-choice.ts'
import type { Choosable } from '../check-choice.ts'

/** Boxes that are shown besides those that are ticked: the rest is found by name. */
export const boxesMax = 50

/** @param found how many checks have the text, ticked ones included */
export type CheckBoxes = { choices: readonly Choice[]; found: number; left: number; all: number }

/**
 * The checks that a rule can name: those that are ticked whatever is sought, then those whose name or
 * address has the text, each by name. What was ticked and is deleted since has no box. Pure.
 */
export const checkBoxes = (
  checks: readonly Choosable[],
  { text, ticked }: { text: string; ticked: ReadonlySet<string> },
): CheckBoxes => {
  const sorted = byName(checks)
  const chosen = sorted.filter(({ id }) => ticked.has(id))
  const found = checksWith(sorted, text)
  const others = found.filter(({ id }) => !ticked.has(id))
  const shown = others.slice(0, boxesMax)
  return {
    choices: [...chosen, ...shown].map(choiceOf),
    found: found.length,
    left: others.length - shown.length,
    all: checks.length,
  }
}

/**
 * Whether a form that was sent looks for checks and saves nothing: its button says so, or the Enter
 * key was pressed after another text was typed. Pure.
 */
export const isSearch = (form: URLSearchParams): boolean => {
  const act = form.get('act')
  return act === 'find' || (act === 'enter' && (form.get('q') ?? '') !== (form.get('sought') ?? ''))
}

/** What finds checks within the form, so that what is ticked and typed is kept; nothing where all are shown. */
export const checkSearch = (
  { choices, found, left, all }: CheckBoxes,
  { text, path }: { text: string; path: string },
): Html | null =>
  all <= boxesMax
    ? null
    : html`<div role="search" aria-label="Checks to choose from" id="find" tabindex="-1">
        <p class="actions">
          <label for="q">Find checks, by name or address</label>
          <input id="q" name="q" type="search" value="${text}" autocomplete="off" />
          <input type="hidden" name="sought" value="${text}" />
          <button type="submit" name="act" value="find" formnovalidate formaction="${path}#find">
            Find
          </button>
        </p>
        <p class="muted">
          ${text === '' ? `There are ${all} checks.` : `${found} of ${all} checks have that.`}
          ${choices.length} have a box below, the ticked ones first.
          ${left > 0 && `${left} more have none: look for a part of the name. `} Looking saves
          nothing and unticks nothing.
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
