export const formStyle = `
form { margin: 0 }
.fields { display: grid; gap: 1rem; max-width: 34rem; margin: 1rem 0 }
fieldset { border: 1px solid var(--line); border-radius: .375rem; padding: .5rem 1rem 1rem; margin: 0 }
legend { font-weight: 600; padding: 0 .25rem }
label { display: block; font-weight: 600 }
.choice { margin: .5rem 0 }
fieldset > .choice:last-child { margin-bottom: 0 }
.choice label { display: inline; font-weight: 400 }
.hint { color: var(--muted); margin: 0 0 .25rem }
.problem { color: var(--bad-text); background: var(--bad); margin: .25rem 0 0; padding: .125rem .5rem; border-radius: .25rem; width: fit-content }
.problems { background: var(--bad); color: var(--bad-text); padding: .75rem 1rem; border-radius: .375rem; max-width: 42rem; margin: 0 0 1rem }
.problems a { color: inherit }
.problems ul { margin: .25rem 0 0; padding-left: 1.25rem }
.problems .code { margin: .25rem 0 0; font-size: .875rem }
.copy { margin: -.5rem 0 1rem }
.done { background: var(--good); color: var(--good-text); padding: .75rem 1rem; border-radius: .375rem; max-width: 42rem; margin: 0 0 1rem }
input, select, textarea, button, .button { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--edge); border-radius: .375rem; padding: .5rem .75rem; min-height: 2.75rem }
input:not([type=checkbox], [type=radio]), select, textarea { width: 100% }
input[type=checkbox], input[type=radio] { min-height: 1.5rem; width: 1.5rem; height: 1.5rem; vertical-align: middle; margin: 0 .375rem 0 0; padding: 0 }
[aria-invalid=true] { border-color: var(--bad-mark); border-width: 2px }
button, .button { font-weight: 600; cursor: pointer; text-decoration: none; display: inline-block }
.primary { background: var(--action); color: var(--action-text); border-color: var(--action) }
.danger { color: var(--bad-text); border-color: var(--bad-mark); background: var(--bad) }
.actions input { flex: 1 1 12rem; max-width: 28rem; width: auto }
.actions select { width: auto }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin: 1rem 0 }
`
