export const errorStyle = `
mark { background: var(--uncertain); color: var(--uncertain-text); padding: 0 .25rem; border-radius: .25rem }
`
