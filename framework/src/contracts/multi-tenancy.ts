/** Whether the system serves several companies that know nothing of each other (ABP's multi-tenancy). It does not. */
export const isMultiTenancyEnabled: boolean = false
