/** True when the system serves several companies in isolation (ABP's multi-tenancy). It does not. */
export const isMultiTenancyEnabled: boolean = false
