package s3

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/electd/electd/arbiter/internal/httpstore"
	"github.com/electd/electd/core"
)

// loadShared reads the environment and the shared AWS files.
func loadShared(ctx context.Context, c Config) (aws.Config, error) {
	options := []func(*config.LoadOptions) error{
		config.WithAppID("electd"),
		// For the token services. The SDK takes the deadline from the context of
		// some of these requests, so the client must have one.
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTimeout(usualPace.timeout)),
	}
	if c.Region != "" {
		options = append(options, config.WithRegion(c.Region))
	}
	if c.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(c.Profile))
	}
	shared, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		attribute, advice := "profile", "check the shared AWS configuration files and the AWS_ environment variables"
		var missing config.SharedConfigProfileNotExistError
		if errors.As(err, &missing) {
			advice = "name a profile of ~/.aws/config, or of the files that AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name"
		}
		return aws.Config{}, &core.AttributeError{Attribute: attribute, Problem: err.Error(), Advice: advice}
	}
	return shared, nil
}

// chooseProvider returns where credentials come from: the static ones, else the
// standard chain, and on top of either the role to assume.
func chooseProvider(c Config, shared aws.Config) (aws.CredentialsProvider, error) {
	provider := shared.Credentials
	if c.AccessKeyID != "" {
		provider = credentials.NewStaticCredentialsProvider(c.AccessKeyID, c.SecretAccessKey, c.SessionToken)
	}
	if c.RoleARN == "" {
		return provider, nil
	}
	if shared.Region == "" {
		return nil, wrong("region", "is not set", "the token service that gives role_arn needs one")
	}
	base := shared.Copy()
	base.Credentials = provider
	return stscreds.NewAssumeRoleProvider(sts.NewFromConfig(base), c.RoleARN, func(o *stscreds.AssumeRoleOptions) {
		o.RoleSessionName = "electd"
	}), nil
}

// newClient makes the SDK's client: one attempt a call, on our own wire.
func newClient(c Config, shared aws.Config, w *httpstore.Wire) *awss3.Client {
	return awss3.NewFromConfig(shared, func(o *awss3.Options) {
		if c.Endpoint != "" {
			o.BaseEndpoint = aws.String(c.Endpoint)
		}
		endpoint := aws.ToString(o.BaseEndpoint)
		if o.Region == "" && !isAmazon(endpoint) {
			o.Region = "us-east-1"
		}
		o.UsePathStyle = o.UsePathStyle || c.PathStyle || needsPathStyle(endpoint)
		o.Retryer, o.RetryMaxAttempts = aws.NopRetryer{}, 1
		o.HTTPClient = httpClient(w)
		o.Logger = logging.Nop{}
		o.DisableLogOutputChecksumValidationSkipped = true
		if !isAmazon(endpoint) { // some stores refuse checksum trailers
			o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
			o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		}
		for name, value := range c.Headers {
			o.APIOptions = append(o.APIOptions, setHeader(name, value))
		}
	})
}

// httpClient sends on w and follows no redirects: they are errors of the
// configuration, and the signature holds for one host only.
func httpClient(w *httpstore.Wire) *http.Client {
	return &http.Client{Transport: w, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// setHeader adds a header to every request, before it is signed.
func setHeader(name, value string) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		return stack.Build.Add(middleware.BuildMiddlewareFunc("header "+name,
			func(ctx context.Context, in middleware.BuildInput, next middleware.BuildHandler) (middleware.BuildOutput, middleware.Metadata, error) {
				if request, ok := in.Request.(*smithyhttp.Request); ok {
					request.Header.Set(name, value)
				}
				return next.HandleBuild(ctx, in)
			}), middleware.After)
	}
}

// findHost returns the URL whose host every request goes to, and so checks the
// endpoint in force, which may have come from the environment or the profile.
// It signs a URL with credentials of no meaning; nothing is sent.
func (a *Arbiter) findHost(ctx context.Context) (*url.URL, error) {
	effective := a.config
	effective.Endpoint = a.endpoint
	if err := checkEndpoint(effective); err != nil {
		return nil, err
	}
	if a.region == "" {
		return nil, wrong("region", "is not set, neither here nor in the environment nor in the profile", `set the bucket's region, for example region = "eu-west-1"`)
	}
	signed, err := awss3.NewPresignClient(a.client).PresignGetObject(ctx,
		&awss3.GetObjectInput{Bucket: &a.config.Bucket, Key: aws.String("-")},
		awss3.WithPresignClientFromClientOptions(func(o *awss3.Options) {
			o.Credentials = credentials.NewStaticCredentialsProvider("-", "-", "")
		}))
	if err != nil {
		return nil, &core.AttributeError{Attribute: "bucket", Problem: "makes no URL with this region and endpoint: " + rootText(err)}
	}
	return url.Parse(signed.URL)
}

// loadRoots returns the certificate authorities trusted for the endpoint; nil
// for the system's.
func loadRoots(c Config) (*x509.CertPool, error) {
	file := c.TLSCAFile
	if file == "" {
		file = os.Getenv("AWS_CA_BUNDLE")
	}
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, wrong("tls_ca_file", err.Error(), "name a readable PEM file")
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, wrong("tls_ca_file", fmt.Sprintf("%s holds no certificate", file), "it must be PEM, with BEGIN CERTIFICATE")
	}
	return roots, nil
}
