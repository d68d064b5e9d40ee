/// What the service loop needs to know of the configuration.
struct ServiceOptions {
  var host: String
  var port: Int
  /// Files with the certificate chain and its key, PEM.
  var certificate: String?
  var key: String?
  var pathPrefix: String
  /// The `Server` header.
  var serverName: String
}
