export const dashboardStyle = `
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
