-- Nothing is given to an organization that is deleted, also not to one that is being deleted or merged into another one at that moment.
--
-- The writer of a reference holds the organization (for key share, as the foreign key does) until its transaction ends; who deletes or merges an
-- organization locks it for update first. So either the reference is committed by then, and found, or the writer waits, and is refused when the organization went.
-- References by members, invitations and the tree are not among these: their writers wait for those who change the tree (Hub.OrganizationHierarchy).

create function keel_hub_demand_organization(organization uuid, member text, referring text) returns void language plpgsql as $$
begin
  perform from "HubOrganizations" where "Id" = organization and not "IsDeleted" for key share;
  if not found then
    raise foreign_key_violation using
      message = format('%s of %s refers to an organization that is deleted', member, referring),
      table = referring, column = member, constraint = format('FK_%s_HubOrganizations_%s', referring, member);
  end if;
end
$$;

-- Of an id that there was before nothing is asked: what an organization has when it is deleted stays as it is.
create function keel_hub_organization_of_row() returns trigger language plpgsql as $$
begin
  if new."OrganizationId" is not null and (tg_op = 'INSERT' or new."OrganizationId" is distinct from old."OrganizationId") then
    perform keel_hub_demand_organization(new."OrganizationId", 'OrganizationId', tg_table_name);
  end if;
  return new;
end
$$;
create trigger "KEEP_HubShipmentAddresses_Organization" before insert or update of "OrganizationId" on "HubShipmentAddresses"
  for each row execute function keel_hub_organization_of_row();
create trigger "KEEP_HubDocuments_Organization" before insert or update of "OrganizationId" on "HubDocuments"
  for each row execute function keel_hub_organization_of_row();
create trigger "KEEP_HubCarriers_Organization" before insert or update of "OrganizationId" on "HubCarriers"
  for each row execute function keel_hub_organization_of_row();
create trigger "KEEP_HubWebhooks_Organization" before insert or update of "OrganizationId" on "HubWebhooks"
  for each row execute function keel_hub_organization_of_row();
create trigger "KEEP_HubOrganizationAddresses_Organization" before insert or update of "OrganizationId" on "HubOrganizationAddresses"
  for each row execute function keel_hub_organization_of_row();
create trigger "KEEP_HubOrganizationContacts_Organization" before insert or update of "OrganizationId" on "HubOrganizationContacts"
  for each row execute function keel_hub_organization_of_row();

create function keel_hub_organizations_of_order() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new."BuyerId" <> old."BuyerId" then
    perform keel_hub_demand_organization(new."BuyerId", 'BuyerId', tg_table_name);
  end if;
  if tg_op = 'INSERT' or new."SupplierId" <> old."SupplierId" then
    perform keel_hub_demand_organization(new."SupplierId", 'SupplierId', tg_table_name);
  end if;
  return new;
end
$$;
create trigger "KEEP_HubOrders_Organizations" before insert or update of "BuyerId", "SupplierId" on "HubOrders"
  for each row execute function keel_hub_organizations_of_order();

create function keel_hub_organizations_of_consol() returns trigger language plpgsql as $$
begin
  if new."SendingAgentId" is not null and (tg_op = 'INSERT' or new."SendingAgentId" is distinct from old."SendingAgentId") then
    perform keel_hub_demand_organization(new."SendingAgentId", 'SendingAgentId', tg_table_name);
  end if;
  if new."ReceivingAgentId" is not null and (tg_op = 'INSERT' or new."ReceivingAgentId" is distinct from old."ReceivingAgentId") then
    perform keel_hub_demand_organization(new."ReceivingAgentId", 'ReceivingAgentId', tg_table_name);
  end if;
  return new;
end
$$;
create trigger "KEEP_HubConsols_Organizations" before insert or update of "SendingAgentId", "ReceivingAgentId" on "HubConsols"
  for each row execute function keel_hub_organizations_of_consol();
