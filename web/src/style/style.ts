import { dark, light, variablesOf, highContrastDark, highContrastLight } from '../html/palette.ts'
import { answerStyle } from './answer-style.ts'
import { chartStyle } from './chart-style.ts'
import { homeStyle } from './home-style.ts'
import { mapStyle } from './map-style.ts'

/** Of status pages: what their owners chose, and the strips of their days. */
const statusStyle = `
.status { --accent: var(--link); max-width: 56rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
.status.light { color-scheme: light; ${variablesOf(light)} }
.status.dark { color-scheme: dark; ${variablesOf(dark)} }
.status.high_contrast { ${variablesOf(highContrastLight)} }
@media (prefers-color-scheme: dark) { .status.high_contrast { ${variablesOf(highContrastDark)} } }
.status.sans { font-family: Helvetica, Arial, sans-serif }
.status.serif { font-family: Georgia, serif }
.status.mono { font-family: ui-monospace, monospace }
.status > header { border-bottom: 3px solid var(--accent); margin-bottom: 1.5rem; padding-bottom: 1rem }
.status > header img { display: block; max-width: 16rem; max-height: 4rem; margin-bottom: .75rem }
.status > header h1 { margin: 0 }
.status nav ul, .status .plainly { list-style: none; padding: 0; margin: .5rem 0 }
.status nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem }
.status nav a { display: inline-block; padding: .25rem 0 }
.status summary { padding: .25rem 0 }
.status .state { font-size: 1.25rem; font-weight: 600; padding: .75rem 1rem; border-radius: .375rem; max-width: none; margin: 0 0 .5rem }
.status h3 { font-size: 1.0625rem; margin: 1.25rem 0 .25rem; overflow-wrap: anywhere }
.status .prose { white-space: pre-line; margin: .25rem 0 }
.status footer { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: 1rem }
.strip { display: block; width: 100%; height: 2.25rem; margin: .25rem 0; fill: none }
.strip path { stroke-dasharray: 3 1 }
.strip .good { stroke: var(--good-mark); stroke-width: 32 }
.strip .uncertain { stroke: var(--uncertain-mark); stroke-width: 24 }
.strip .partly { stroke: var(--good-mark); stroke-width: 16 }
.strip .bad { stroke: var(--bad-mark); stroke-width: 10 }
.strip .silent { stroke: var(--silent-mark); stroke-width: 3 }
.days { position: relative; display: flow-root }
.day-bars { position: absolute; inset: .25rem 0 auto; height: 2.25rem; display: flex }
.day-bars button { flex: 1 1 0; min-width: 0; min-height: 0; padding: 0; border: 0; border-radius: 0; background: none }
.day-bars button:hover, .day-bars [aria-expanded=true] { box-shadow: inset 0 0 0 1px var(--text) }
.day-bars :focus-visible { outline-offset: 0; z-index: 1 }
.day-panel [role=status]:not(:empty) { background: var(--raised); border-left: 3px solid var(--edge); padding: .5rem .75rem; margin: .5rem 0 0 }
.day-panel .actions { margin: .5rem 0 }
.day-panel [aria-disabled=true] { color: var(--muted) }
@media print { .day-bars, .day-panel { display: none } .strip path { stroke: #000 } }
`

const formStyle = `
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

const dashboardStyle = `
.plain { max-width: 34rem; margin: 0 auto; padding: 2rem 1rem }
.dashboard { display: grid; min-height: 100vh; grid-template: auto 1fr / 1fr }
.dashboard > header { background: var(--raised); border-bottom: 1px solid var(--line); padding: .75rem 1rem }
.dashboard > main { padding: 1.5rem 1rem 3rem; min-width: 0 }
.brand { font-weight: 700; text-decoration: none; color: inherit }
.dashboard nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .125rem; margin: .5rem 0; padding: 0 }
.dashboard nav a { display: block; padding: .25rem .625rem; border-radius: .375rem; text-decoration: none; color: inherit }
.dashboard nav a:hover { background: var(--silent) }
.dashboard nav a[aria-current] { background: var(--silent); color: var(--silent-text); font-weight: 600 }
.dashboard .on-page ul { flex-direction: row; margin: 0 0 1rem -.625rem }
.dashboard .on-page a { padding: .25rem .625rem; text-decoration: underline; color: var(--link) }
.who { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; color: var(--muted) }
@media (min-width: 60rem) {
  .dashboard { grid-template: 1fr / 15rem 1fr }
  .dashboard > header { border-bottom: 0; border-right: 1px solid var(--line); padding: 1.25rem .75rem; display: flex; flex-direction: column }
  .dashboard > header > .brand { padding: 0 .75rem }
  .dashboard nav ul { flex-direction: column }
  .dashboard nav a { padding: .5rem .75rem }
  .who { margin-top: auto; padding: 1rem .75rem 0; flex-direction: column; align-items: start }
  .dashboard > main { padding: 2rem 2.5rem 4rem; max-width: 80rem }
}
`

const publishStyle = `
.preview { display: block; width: 100%; height: 36rem; border: 1px solid var(--edge); border-radius: .375rem; background: var(--ground) }
.preview-note { background: var(--uncertain); color: var(--uncertain-text); padding: .5rem 1rem; border-radius: .375rem; max-width: none }
.timeline { list-style: none; margin: 0; padding: 0; max-width: 42rem }
.timeline li { border-left: 3px solid var(--line); padding: 0 0 1rem 1rem }
.timeline p { margin: 0 0 .25rem }
.prose { white-space: pre-wrap }
.plain-list { list-style: none; margin: 0; padding: 0 }
.pair { display: grid; gap: .5rem 1rem; max-width: 34rem; margin: 0 0 .75rem }
@media (min-width: 40rem) { .pair { grid-template-columns: 1fr 1.5fr } }
`

const errorStyle = `
.spent { width: min(100%, 24rem); height: 1rem; accent-color: var(--link) }
.warned { background: var(--uncertain); color: var(--uncertain-text); border-radius: .375rem; padding: .25rem 1rem; margin: 0 0 1rem }
mark { background: var(--uncertain); color: var(--uncertain-text); padding: 0 .25rem; border-radius: .25rem }
.issue { display: inline-block; min-width: min(18rem, 60vw) }
.count-bar rect { fill: var(--link) }
`

const checkFormStyle = `
fieldset { min-width: 0 }
.step { max-width: 40rem; margin: 1rem 0 }
#trial { scroll-margin-top: 1rem }
.step:target { border-color: var(--link) }
summary { cursor: pointer; font-weight: 600; min-height: 1.5rem; width: fit-content }
`

const messageStyle = `
.delivery { border-top: 1px solid var(--line); padding: .5rem 0 1rem }
.message { white-space: pre-wrap; overflow-wrap: anywhere }
`

const liveStyle = `
.sparkline { display: block; fill: none; stroke: var(--link); stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round }
.sparkline .lapse { stroke: var(--bad-mark); stroke-width: 3; stroke-linecap: butt }
`

const base = `
:root { color-scheme: light dark; ${variablesOf(light)} }
@media (prefers-color-scheme: dark) { :root { ${variablesOf(dark)} } }
* { box-sizing: border-box }
[hidden] { display: none !important }
body { font: 1rem/1.55 system-ui, sans-serif; color: var(--text); background: var(--ground); margin: 0 }
a { color: var(--link) }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: .5rem; top: .5rem; padding: .5rem 1rem; background: var(--ground); z-index: 1 }
.skip:not(:focus) { left: -999rem }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
h1 { font-size: 1.625rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere }
h2 { font-size: 1.1875rem; margin: 2rem 0 .5rem }
p, dd, li { overflow-wrap: anywhere }
p { max-width: 42rem }
code, pre, kbd { font: .9375em ui-monospace, monospace }
pre { background: var(--raised); padding: .75rem 1rem; border-radius: .375rem; white-space: pre-wrap; overflow-wrap: anywhere }
code { overflow-wrap: anywhere }
time { font-variant-numeric: tabular-nums; white-space: nowrap }
.muted { color: var(--muted) }
.tag { display: inline-block; white-space: nowrap; padding: .0625rem .5rem; border-radius: .25rem; font-weight: 600 }
.good { background: var(--good); color: var(--good-text) }
.bad { background: var(--bad); color: var(--bad-text) }
.uncertain { background: var(--uncertain); color: var(--uncertain-text) }
.silent { background: var(--silent); color: var(--silent-text) }
.scroll { overflow-x: auto; position: relative }
table { border-collapse: collapse; width: 100% }
caption { text-align: left; color: var(--muted); padding: .25rem 0 }
th, td { border-bottom: 1px solid var(--line); padding: .5rem 1.25rem .5rem 0; text-align: left; vertical-align: top }
thead th { color: var(--muted); font-weight: 600; white-space: nowrap }
tbody th { font-weight: 600 }
td:last-child:not(:first-child) { min-width: 9rem }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; margin: 0 }
dt { color: var(--muted) }
dd { margin: 0 }
footer { color: var(--muted) }
@media (max-width: 40rem) { time { white-space: normal } dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .5rem } }
@media (prefers-reduced-motion: no-preference) { a, button { transition: background-color .1s } }
@media print { nav, .skip, form, .actions { display: none } body { color: #000; background: #fff } }
`

/** The one style sheet of all pages, light and dark by the reader's choice, plain on paper. */
export const style = [
  base,
  formStyle,
  checkFormStyle,
  answerStyle,
  chartStyle,
  dashboardStyle,
  errorStyle,
  homeStyle,
  liveStyle,
  mapStyle,
  messageStyle,
  publishStyle,
  statusStyle,
].join('')
