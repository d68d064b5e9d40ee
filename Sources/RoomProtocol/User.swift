/// Someone the server knows, a guest among them.
package struct User: Hashable, Sendable, Identifiable {
  /// The server's number; 0 where it gave none.
  package var id: Int
  /// The name; "guest" where the server gave none.
  package var username: String
  /// Whether the user may do everything.
  package var isAdmin: Bool
  /// Whether the session is a guest's: it may listen and switch, not control or edit.
  package var isGuest: Bool
  /// The permissions the server wrote inside the user.
  package var permissions: [Permission]

  /// Makes a user.
  package init(
    id: Int = 0, username: String = "guest", isAdmin: Bool = false, isGuest: Bool = false,
    permissions: [Permission] = []
  ) {
    self.id = id
    self.username = username
    self.isAdmin = isAdmin
    self.isGuest = isGuest
    self.permissions = permissions
  }
}

extension User: WireReadable, WireWritable {
  /// Reads a user in either spelling, snake_case or camelCase; nothing is required.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    self.init(
      id: fields.integer("id") ?? 0,
      username: fields.text("username") ?? "guest",
      isAdmin: fields.flag("isAdmin") ?? fields.flag("is_admin") ?? false,
      isGuest: fields.flag("isGuest") ?? fields.flag("is_guest") ?? false,
      permissions: fields.list("permissions")?.elements ?? [])
  }

  /// Writes the user in camelCase.
  package var wire: JSONValue {
    .fields([
      "id": id,
      "username": username,
      "isAdmin": isAdmin,
      "isGuest": isGuest,
      "permissions": permissions,
    ])
  }
}

/// One thing a user may do.
package struct Permission: Hashable, Sendable {
  /// What kind of thing it is about, such as `channel`; empty where not said.
  package var resourceType: String
  /// Which one, nil for all of the kind.
  package var resourceID: String?
  /// What may be done, such as `control`; empty where not said.
  package var permission: String

  /// Makes a permission.
  package init(resourceType: String, resourceID: String? = nil, permission: String) {
    self.resourceType = resourceType
    self.resourceID = resourceID
    self.permission = permission
  }
}

extension Permission: WireReadable, WireWritable {
  /// Reads a permission in either spelling.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    self.init(
      resourceType: fields.text("resourceType") ?? fields.text("resource_type") ?? "",
      resourceID: fields.label("resourceId") ?? fields.label("resource_id"),
      permission: fields.text("permission") ?? "")
  }

  /// Writes the permission in camelCase.
  package var wire: JSONValue {
    .fields([
      "resourceType": resourceType,
      "resourceId": resourceID,
      "permission": permission,
    ])
  }
}

/// Who the session belongs to, as `me`, `login` and `signup` answer.
package struct AuthEnvelope: Hashable, Sendable {
  /// The user, nil where nobody is signed in and guests are not allowed.
  package var user: User?
  /// All permissions: those inside the user and those beside it, each once.
  package var permissions: [Permission]

  /// Makes an envelope; the user's own permissions are added to those given.
  package init(user: User?, permissions: [Permission] = []) {
    self.user = user
    var seen: Set<Permission> = []
    self.permissions = ((user?.permissions ?? []) + permissions).filter { seen.insert($0).inserted }
  }
}

extension AuthEnvelope: WireReadable, WireWritable {
  /// Reads an envelope, or a bare user.
  ///
  /// - Parameter wire: the object.
  /// - Throws: `WireError` where there is no object.
  package init(wire: JSONValue) throws(WireError) {
    let fields = try WireFields(wire)
    let beside: [Permission] = fields.list("permissions")?.elements ?? []
    let isBare = !fields.contains("user") && (fields.has("username") || fields.has("id"))
    self.init(
      user: isBare ? try User(wire: wire) : fields.value("user"), permissions: beside)
  }

  /// Writes the envelope.
  package var wire: JSONValue {
    .fields([
      "user": user,
      "permissions": permissions,
    ])
  }
}
