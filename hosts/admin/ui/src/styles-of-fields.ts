/** The styles of fields that no page shows at first: those of `styles.ts` come before them. */
import '@mantine/core/styles/Switch.css'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import '@mantine/core/styles/PasswordInput.css'
