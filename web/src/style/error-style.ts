export const errorStyle = `
.spent { width: min(100%, 24rem); height: 1rem; accent-color: var(--link) }
.warned { background: var(--uncertain); color: var(--uncertain-text); border-radius: .375rem; padding: .25rem 1rem; margin: 0 0 1rem }
mark { background: var(--uncertain); color: var(--uncertain-text); padding: 0 .25rem; border-radius: .25rem }
.issue { display: inline-block; min-width: min(18rem, 60vw) }
.count-bar rect { fill: var(--link) }
`
